// From settings to a socket: certificates are read, an address is taken, and what keeps that from working is told in
// one line.

import { lookup } from 'node:dns/promises';
import { readFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { createSecureContext } from 'node:tls';
import type { FastifyInstance } from 'fastify';
import { StartProblem } from '../runtime/start-problem.ts';

/** @throws StartProblem for files that cannot be read, or do not belong together. */
export async function readTls(
  tlsFiles: { readonly cert: string; readonly key: string } | undefined,
): Promise<{ cert: Buffer; key: Buffer } | undefined> {
  if (tlsFiles === undefined) return undefined;
  try {
    const files = { cert: await readFile(tlsFiles.cert), key: await readFile(tlsFiles.key) };
    // Fails for what is no certificate, no key, or a key of another certificate.
    createSecureContext(files);
    return files;
  } catch (error) {
    throw new StartProblem(`OPENTILL_TLS_CERT, OPENTILL_TLS_KEY: ${(error as Error).message}.`);
  }
}

/** @throws StartProblem for an address that cannot be had. */
export async function listen(
  server: FastifyInstance,
  { host, port }: { host: string; port: number },
): Promise<void> {
  try {
    // One address: on each further one of localhost, Fastify would answer with a server without our refusals.
    const { address } = await lookup(host, { order: 'ipv4first' });
    await server.listen({ host: address, port });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE') {
      throw new StartProblem(
        `The port ${port} of ${host} is in use: end what uses it, or choose another one.`,
      );
    }
    if (code === 'EACCES' || code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
      throw new StartProblem(`Listening on ${host}:${port} is not possible: ${message}.`);
    }
    throw error;
  }
}

/** Of a server that listens. */
export function addressOf(server: FastifyInstance): string {
  const { address, family, port } = server.server.address() as AddressInfo;
  return `${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}
