// Requests a URL and returns only the status. It uses node:http, because fetch rejects the ports that browsers block.

import * as http from 'node:http';
import * as https from 'node:https';

interface Question {
  readonly method: 'GET' | 'HEAD';
  readonly withinMs: number;
  /** Whether the certificate has to be trusted and match the host name. */
  readonly verifiesCertificate: boolean;
}

/** Follows no redirect. Rejects with a readable reason if no response starts in time. */
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
      // The error of a name with several addresses has only a code.
      reject(new Error(signal.aborted ? `no response within ${withinMs} ms` : message || code));
    });
    // A switch of protocols (101) closes the request without an error or a response.
    call.on('close', () => reject(new Error('the connection was closed without a response')));
    call.end();
  });
}
