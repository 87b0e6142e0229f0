// npm run bench:renewals: two production servers on one database renew what falls due, and a gateway on loopback
// approves each charge. `-- speed`, `-- reads` or `-- kills` runs one part alone.

import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeDataFolder } from '../test/embedded/scratch.ts';
import { measureReads } from './reads-beside-renewals.ts';
import { killServers } from './renewal-kills.ts';
import { measureSpeed } from './renewal-speed.ts';

const parts = {
  speed: measureSpeed,
  reads: measureReads,
  kills: killServers,
} as const;

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !(name in parts));
if (unknown.length > 0)
  throw new Error(`${unknown.join(', ')}: the parts are ${Object.keys(parts).join(', ')}.`);

for (const [name, run] of Object.entries(parts)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  const folder = await mkdtemp(join(tmpdir(), 'opentill-bench-'));
  try {
    await run(folder);
  } finally {
    await removeDataFolder(folder);
  }
}
