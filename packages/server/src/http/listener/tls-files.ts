// Reads and checks the TLS files: what passes here works in a handshake.

import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Server as HttpsServer } from 'node:https';
import { createSecureContext } from 'node:tls';
import { attentionThresholds } from '@opentill/contract/attention-kinds.ts';
import type { FastifyInstance } from 'fastify';
import { StartProblem } from '../../runtime/start-problem.ts';

export interface TlsContents {
  readonly cert: Buffer;
  readonly key: Buffer;
}

/** @throws StartProblem for files that cannot be read or do not match. */
export async function readTls(
  tlsFiles: { readonly cert: string; readonly key: string } | undefined,
): Promise<TlsContents | undefined> {
  if (tlsFiles === undefined) return undefined;
  try {
    const files = { cert: await readFile(tlsFiles.cert), key: await readFile(tlsFiles.key) };
    const problem = problemOf(files);
    if (problem !== undefined) throw new Error(problem);
    createSecureContext(files);
    return files;
  } catch (error) {
    throw new StartProblem(`OPENTILL_TLS_CERT, OPENTILL_TLS_KEY: ${(error as Error).message}.`);
  }
}

const pemCertificate = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** What OpenSSL accepts at start and fails in handshakes: a key of another type, and a chain in another order. */
function problemOf({ cert, key }: TlsContents): string | undefined {
  const chain = (cert.toString('latin1').match(pemCertificate) ?? []).map((pem) => new X509Certificate(pem));
  const privateKey = createPrivateKey(key);
  const own = chain.findIndex((certificate) => certificate.checkPrivateKey(privateKey));
  const [first] = chain;
  if (first === undefined) return 'expected a certificate (PEM), got none';
  if (own > 0) return `expected the certificate of the key first in its file, got it as number ${own + 1}`;
  if (own < 0) {
    const [expected, got] = [first.publicKey, privateKey].map(({ asymmetricKeyType }) => asymmetricKeyType);
    return `expected the key of the certificate (${expected}), got another key (${got})`;
  }
  const stray = chain.findIndex((issuer, index) => chain[index - 1]?.checkIssued(issuer) === false);
  return stray < 0
    ? undefined
    : `expected each certificate to be followed by that of its issuer, got another one as number ${stray + 1}`;
}

/** Replaces the certificate, for new connections. */
export function useTls(servers: readonly FastifyInstance[], tls: TlsContents): void {
  for (const { server } of servers) (server as unknown as HttpsServer).setSecureContext(tls);
}

export interface CertificateTimes {
  readonly expiresAt: number;
  /** From when on its end needs attention. */
  readonly dueAt: number;
}

export function certificateTimes({ cert }: TlsContents): CertificateTimes {
  const { validFrom, validTo } = new X509Certificate(cert);
  const expiresAt = Date.parse(validTo);
  const { certificateMsMax, certificatePart } = attentionThresholds;
  const lifeMs = expiresAt - Date.parse(validFrom);
  return { expiresAt, dueAt: expiresAt - Math.min(certificateMsMax, lifeMs * certificatePart) };
}
