// A server whose limit of open files is lower than the connections that it would accept.

import { chmod, writeFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeScratch } from '../embedded/scratch.ts';
import { call, databaseEnv, freshDatabase } from '../harness.ts';
import { waitFor } from '../wait-for.ts';
import { startOpentill } from './opentill-process.ts';

test('with 1,024 open files, a server survives 1,200 idle connections, and accepts 262 for each listener', async () => {
  await using scratch = await makeScratch();
  await using database = await freshDatabase();
  const env = databaseEnv(database.connection);
  const node = join(scratch.path, 'node');
  await writeFile(node, `#!/bin/sh\nulimit -n 1024\nexec '${process.execPath}' "$@"\n`);
  await chmod(node, 0o755);
  await using server = startOpentill({ node, env });
  const { publicUrl, operatorUrl } = await server.ready();
  expect(server.output.stdout).toContain('each listener accepts 262 connections');
  const { hostname, port } = new URL(publicUrl);
  const sockets: Socket[] = [];
  using _ = { [Symbol.dispose]: () => sockets.forEach((socket) => void socket.destroy()) };
  let closed = 0;
  while (sockets.length < 1_200) {
    const socket = connect({ host: hostname, port: Number(port) });
    socket.on('error', () => undefined).on('close', () => (closed += 1));
    sockets.push(socket);
  }
  await waitFor(() => closed >= 1_200 - 262, { what: 'closed connections' });
  expect((await call(`${operatorUrl}/health/ready`)).status).toBe(200);
  for (const socket of sockets) socket.destroy();
  await waitFor(
    () =>
      call(`${publicUrl}/none`).then(
        ({ status }) => status === 404,
        () => false,
      ),
    { what: 'an answer of the public listener' },
  );
});
