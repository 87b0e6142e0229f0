// Requests a URL and returns only the status.

import { OutgoingHttp } from '../runtime/outgoing-http.ts';

interface Question {
  readonly method: 'GET' | 'HEAD';
  readonly withinMs: number;
  /** Whether the certificate has to be trusted and match the host name. */
  readonly verifiesCertificate: boolean;
}

/** Follows no redirect. Rejects with a readable reason if no response starts in time. */
export async function askStatus(
  url: string,
  { method, withinMs, verifiesCertificate }: Question,
): Promise<number> {
  using http = new OutgoingHttp({ withinMs, bodyBytesMax: 0 }, { rejectUnauthorized: verifiesCertificate });
  const { status, failure } = await http.send({ method, url: new URL(url) });
  if (status !== undefined) return status;
  if (failure === undefined || !('error' in failure)) throw new Error(`no response within ${withinMs} ms`);
  if (failure.kind === 'connectionLost') throw new Error('the connection was closed without a response');
  // The error of a name with several addresses has only a code.
  const { message, code } = failure.error as NodeJS.ErrnoException;
  throw new Error(message || code);
}
