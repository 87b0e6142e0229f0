// The reads per second that PostgreSQL's own load generator reaches.

import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { ClientConfig } from 'pg';
import { databaseUrlOf } from '../packages/server/test/database-url.ts';

/** As many as a server has. */
const clients = 10;
const threads = 2;
/** Reads of one app in a run of the script, which first forms the app's name. */
const readsPerRun = 20;

const run = promisify(execFile);

/** Reads single purchases `read-<n>` with prepared statements, spread as those of `readRequests` over the apps. */
export async function pgbenchReads(
  connection: ClientConfig,
  load: { readonly names: readonly string[]; readonly readable: number; readonly seconds: number },
): Promise<number> {
  const { names, readable, seconds } = load;
  const prefix = (names[0] ?? '').replace(/0$/u, '');
  const read = `\\set n :app + ${names.length} * random(0, ${readable / names.length - 1})
select product_id, purchase_time, developer_payload, consumed_time, voided_time from purchase where package_name = :name and purchase_id = 'read-' || :n;`;
  const script = `\\set app random(0, ${names.length - 1})
select '${prefix}' || :app as name \\gset
${`${read}\n`.repeat(readsPerRun)}`;
  const folder = await mkdtemp(join(tmpdir(), 'opentill-pgbench-'));
  try {
    const file = join(folder, 'reads.sql');
    await writeFile(file, script);
    const { stdout } = await run('pgbench', [
      ...['--no-vacuum', '--protocol=prepared', `--client=${clients}`, `--jobs=${threads}`],
      ...[`--time=${seconds}`, `--file=${file}`, databaseUrlOf(connection)],
    ]);
    return Number(/^tps = ([\d.]+)/mu.exec(stdout)?.[1]) * readsPerRun;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
