// npm run test:chaos [<fault>...]: tries faults at length, each in a process of its own; without arguments all of them.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const faults = ['failing-receiver', 'disk-full', 'frozen-database', 'frozen-server', 'long-rounds'];

const chosen = process.argv.slice(2);
const unknown = chosen.filter((fault) => !faults.includes(fault));
if (unknown.length > 0) throw new Error(`expected one of ${faults.join(', ')}, got ${unknown.join(', ')}`);

for (const fault of chosen.length > 0 ? chosen : faults) {
  process.stdout.write(`\n${fault}\n`);
  const program = fileURLToPath(new URL(`${fault}.ts`, import.meta.url));
  const running = spawn(process.execPath, [program], { stdio: 'inherit' });
  const [code] = await once(running, 'exit');
  if (code !== 0) process.exitCode = 1;
}
