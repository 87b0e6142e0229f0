// What the tests of a file share.

import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll } from 'vitest';

/** Keeps a resource open until the tests of the file are done. */
export async function useForFile<Resource extends AsyncDisposable>(
  starting: Promise<Resource>,
): Promise<Resource> {
  const resource = await starting;
  afterAll(() => resource[Symbol.asyncDispose]());
  return resource;
}

/** A server on a free port of loopback. */
export async function listening(server: Server): Promise<{ readonly url: string } & AsyncDisposable> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
