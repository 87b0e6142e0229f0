// Sends an HTTP request unchanged: nothing is added or normalized, and, unlike with fetch, any method may have a body.

import { Agent, type IncomingMessage, request } from 'node:http';
import { noteCall } from '../failure-notes.ts';
import type { HttpResponse } from '../harness.ts';

export interface RequestParts {
  readonly method: string;
  /** The path as it is sent, from the first slash on. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Sends the body with chunked encoding. */
  readonly isChunked?: boolean;
}

export function sendRequest(host: string, parts: RequestParts): Promise<HttpResponse> {
  const { method, path, body, isChunked = false } = parts;
  const { hostname, port } = new URL(host);
  const length = body === undefined ? undefined : Buffer.byteLength(body);
  const headers = {
    ...parts.headers,
    ...(length !== undefined && !isChunked && { 'content-length': String(length) }),
    ...(isChunked && { 'transfer-encoding': 'chunked' }),
  };
  // The client keeps the connection open, so that only the server closes it.
  const agent = new Agent({ keepAlive: true });
  return new Promise<HttpResponse>((resolve, reject) => {
    const sent = request({ hostname, port, method, path, headers, agent }, (response) => {
      read(response)
        .then((response) => {
          noteCall({ method, url: host + path, body }, response);
          return response;
        })
        .then(resolve, reject);
    });
    sent.on('error', reject);
    sent.end(body);
  }).finally(() => agent.destroy());
}

async function read(response: IncomingMessage): Promise<HttpResponse> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString('utf8');
  const headers = new Headers();
  for (const [name, value] of Object.entries(response.headers)) headers.set(name, String(value));
  const isJson = text !== '' && /json/.test(headers.get('content-type') ?? '');
  return { status: response.statusCode ?? 0, headers, text, body: isJson ? JSON.parse(text) : undefined };
}
