// An HTTP client for tests with tens of thousands of calls: a few sockets, and many requests in one write.

import { connect, type Socket } from 'node:net';

export interface RawCall {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface RawResponse {
  readonly status: number;
  readonly headers: string;
  readonly body: string;
}

const headEnd = '\r\n\r\n';

/** The bytes of a call; with a body, its length. */
export function bytesOf({ method, path, headers, body = '' }: RawCall): string {
  const lines = Object.entries({
    host: 'localhost',
    ...headers,
    ...(body !== '' && { 'content-length': String(Buffer.byteLength(body)) }),
  }).map(([name, value]) => `${name}: ${value}`);
  return `${method} ${path} HTTP/1.1\r\n${lines.join('\r\n')}${headEnd}${body}`;
}

/** Parses the complete responses at the start of the received bytes; the second value is the rest. */
export function takeResponses(received: string): [responses: RawResponse[], rest: string] {
  const responses: RawResponse[] = [];
  let rest = received;
  for (;;) {
    const end = rest.indexOf(headEnd);
    if (end < 0) return [responses, rest];
    const headers = rest.slice(0, end);
    const length = Number(/\r\ncontent-length: (\d+)/i.exec(headers)?.[1] ?? 0);
    const bodyStart = end + headEnd.length;
    if (rest.length < bodyStart + length) return [responses, rest];
    const status = Number(headers.slice('HTTP/1.1 '.length, 'HTTP/1.1 200'.length));
    responses.push({ status, headers, body: rest.slice(bodyStart, bodyStart + length) });
    rest = rest.slice(bodyStart + length);
  }
}

/** One keep-alive connection; responses arrive in the order of the calls. */
export class PipelinedConnection implements Disposable {
  readonly #socket: Socket;
  #received = '';
  #waiting: ((response: RawResponse | Error) => void)[] = [];

  constructor(url: string) {
    const { hostname, port } = new URL(url);
    this.#socket = connect({ host: hostname, port: Number(port), noDelay: true });
    // Latin-1 has one character for each byte, and Content-Length counts bytes.
    this.#socket.setEncoding('latin1');
    this.#socket.on('data', (text: string) => this.#take(text));
    this.#socket.on('error', () => undefined);
    this.#socket.on('close', () => this.#fail());
  }

  /** Sends all calls in one write. Rejects if the connection closes before all responses have arrived. */
  async send(calls: readonly RawCall[]): Promise<RawResponse[]> {
    const responses = calls.map(
      () =>
        new Promise<RawResponse>((resolve, reject) => {
          this.#waiting.push((response) =>
            response instanceof Error ? reject(response) : resolve(response),
          );
        }),
    );
    if (this.#socket.destroyed) this.#fail();
    else this.#socket.write(calls.map(bytesOf).join(''));
    return Promise.all(responses);
  }

  #take(text: string): void {
    const [responses, rest] = takeResponses(this.#received + text);
    this.#received = rest;
    for (const response of responses) this.#waiting.shift()?.(response);
  }

  #fail(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const settle of waiting) settle(new Error('the connection closed before all calls had a response'));
  }

  [Symbol.dispose](): void {
    this.#socket.destroy();
  }
}
