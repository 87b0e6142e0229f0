// Runs a program of a page that no shell block runs: it has to end successfully or to listen on PORT.

import { spawn } from 'node:child_process';
import { connect } from 'node:net';
import { waitFor } from '../wait-for.ts';
import { freePort } from './free-port.ts';

const withinMs = 60_000;

const [, , name = ''] = process.argv;

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true));
    socket.on('error', () => resolve(false));
    socket.on('connect', () => socket.end());
  });
}

const port = await freePort();
const program = spawn(process.execPath, [name], {
  stdio: 'inherit',
  env: { ...process.env, PORT: String(port) },
});
await waitFor(async () => program.exitCode !== null || (await accepts(port)), {
  deadlineMs: withinMs,
  what: `${name} that ends or listens`,
});
process.exitCode = program.exitCode ?? 0;
program.kill();
