// Asks for the status of an answer, and for nothing else. By node:http, as charges go: fetch refuses the ports that
// browsers keep from.

import * as http from 'node:http';
import * as https from 'node:https';

interface Question {
  readonly method: 'GET' | 'HEAD';
  readonly withinMs: number;
  /** Whether a certificate has to be a trusted one of the name that is called. */
  readonly verifiesCertificate: boolean;
}

/** Follows no redirect. Fails with a reason for people when no answer begins in time. */
export function askStatus(url: string, { method, withinMs, verifiesCertificate }: Question): Promise<number> {
  const { request } = new URL(url).protocol === 'https:' ? https : http;
  const signal = AbortSignal.timeout(withinMs);
  const options = { method, signal, agent: false, rejectUnauthorized: verifiesCertificate } as const;
  return new Promise((resolve, reject) => {
    const call = request(url, options, (response) => {
      resolve(response.statusCode ?? 0);
      response.destroy();
    });
    call.on('error', ({ message, code }: NodeJS.ErrnoException) => {
      // A name of several addresses fails with a code alone.
      reject(new Error(signal.aborted ? `no answer within ${withinMs} ms` : message || code));
    });
    // Also without an error or an answer: when the other side wants to speak another protocol (101).
    call.on('close', () => reject(new Error('the connection ended without an answer')));
    call.end();
  });
}
