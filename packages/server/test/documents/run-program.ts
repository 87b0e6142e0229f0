// Runs a program of a page that no shell block runs: it has to end successfully or to listen on PORT.

import { spawn } from 'node:child_process';
import { acceptsConnections, freePort } from '../../../../test/support/documents/free-port.ts';
import { waitFor } from '../../../../test/support/wait-for.ts';

const [, , name = ''] = process.argv;

const port = await freePort();
const program = spawn(process.execPath, [name], {
  stdio: 'inherit',
  env: { ...process.env, PORT: String(port) },
});
await waitFor(async () => program.exitCode !== null || (await acceptsConnections(port)), {
  what: `${name} that ends or listens`,
});
process.exitCode = program.exitCode ?? 0;
program.kill();
