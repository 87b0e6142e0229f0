// The certificate and the key of both listeners, from their files.

import { readFile } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import type { Config } from './config.ts';
import { StartProblem } from './runtime/start-problem.ts';

/** @throws StartProblem for files that cannot be read, or are no certificate with its own key. */
export async function readTls(
  tlsFiles: Config['tlsFiles'],
): Promise<{ readonly cert: Buffer; readonly key: Buffer } | undefined> {
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
