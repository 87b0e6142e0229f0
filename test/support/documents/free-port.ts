// A free port for a program that gets its port as a setting, and whether the program accepts connections there.

import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';

/** Below the ports that systems assign, so that nobody takes it until the program listens. */
const range = [10_000, 32_768] as const;

export async function freePort(): Promise<number> {
  const port = randomInt(...range);
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return await freePort();
    throw error;
  }
  await new Promise((resolve) => server.close(resolve));
  return port;
}

export function acceptsConnections(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true));
    socket.on('error', () => resolve(false));
    socket.on('connect', () => socket.end());
  });
}
