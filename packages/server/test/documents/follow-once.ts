// Runs a command of a page that follows events until Ctrl-C, which comes after its first line; what it forwards is accepted.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const interrupted = 130;

const receiver = createServer((request, response) => {
  request.resume();
  response.writeHead(204).end();
}).listen(0, '127.0.0.1');
await once(receiver, 'listening');
const { port } = receiver.address() as AddressInfo;

const args = process.argv
  .slice(2)
  .map((arg) => arg.replace(/^http:\/\/127\.0\.0\.1:3000/, `http://127.0.0.1:${port}`));
const program = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
program.stdout.once('data', () => program.kill('SIGINT'));
program.stdout.pipe(process.stdout);
const [code] = await once(program, 'close');
process.exitCode = code === interrupted ? 0 : (code ?? 1);
receiver.close();
