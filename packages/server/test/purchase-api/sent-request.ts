// One HTTP request exactly as a test writes it: nothing is added, resolved or normalised, and every method may
// have a body, which fetch refuses.

import { Agent, type IncomingMessage, request } from 'node:http';
import type { Answer } from '../harness.ts';

export interface RequestParts {
  readonly method: string;
  /** From the first slash on, as it goes over the wire. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Sends the body in chunks of unknown total length. */
  readonly isChunked?: boolean;
}

export function sendRequest(host: string, parts: RequestParts): Promise<Answer> {
  const { method, path, body, isChunked = false } = parts;
  const { hostname, port } = new URL(host);
  const length = body === undefined ? undefined : Buffer.byteLength(body);
  const headers = {
    ...parts.headers,
    ...(length !== undefined && !isChunked && { 'content-length': String(length) }),
    ...(isChunked && { 'transfer-encoding': 'chunked' }),
  };
  // The connection may be kept, so that it is the server's decision to close it.
  const agent = new Agent({ keepAlive: true });
  return new Promise<Answer>((resolve, reject) => {
    const sent = request({ hostname, port, method, path, headers, agent }, (response) => {
      read(response).then(resolve, reject);
    });
    sent.on('error', reject);
    sent.end(body);
  }).finally(() => agent.destroy());
}

async function read(response: IncomingMessage): Promise<Answer> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString('utf8');
  const headers = new Headers();
  for (const [name, value] of Object.entries(response.headers)) headers.set(name, String(value));
  const isJson = text !== '' && /json/.test(headers.get('content-type') ?? '');
  return { status: response.statusCode ?? 0, headers, text, body: isJson ? JSON.parse(text) : undefined };
}
