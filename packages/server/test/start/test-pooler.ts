// A stand-in for a pooler such as PgBouncer: it has connections of its own to PostgreSQL, lends one to each session, each
// transaction or each statement of its clients, and resets none in between.

import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { Client, type ClientConfig } from 'pg';

export type PoolMode = 'session' | 'transaction' | 'statement';

/** Parameters of a connection that a pooler rejects, because its own connections would keep them. */
const rejectedParameters = /(statement_timeout|lock_timeout|idle_in_transaction_session_timeout)\0/;

/** A number that is not that of a backend. */
const cancelId = 0x7f_ff_ff_ff;

export interface TestPooler extends AsyncDisposable {
  readonly connection: ClientConfig;
}

/** `takes`: which of the free connections is next. */
export async function startPooler(
  postgres: ClientConfig,
  mode: PoolMode,
  takes: 'newest' | 'oldest' = 'newest',
): Promise<TestPooler> {
  const free: Backend[] = [];
  const all: Backend[] = [];
  const acquire = async (): Promise<Backend> => {
    const known = takes === 'newest' ? free.pop() : free.shift();
    if (known !== undefined) return known;
    const backend = await connectBackend(postgres);
    all.push(backend);
    return backend;
  };
  const server = createServer({ noDelay: true }, (near) => {
    near.on('error', () => undefined);
    near.once('data', (startup: Buffer) => {
      const rejected = rejectedParameters.exec(startup.toString('latin1'))?.[1];
      if (rejected !== undefined) {
        near.end(errorMessage(`unsupported startup parameter: ${rejected}`));
        return;
      }
      near.write(Buffer.concat([message('R', int32(0)), message('K', int32(cancelId), int32(1)), ready]));
      serve(near, { mode, acquire, release: (backend) => free.push(backend) });
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    connection: { ...postgres, host: '127.0.0.1', port: (server.address() as AddressInfo).port },
    async [Symbol.asyncDispose]() {
      for (const { socket } of all) socket.destroy();
      server.close();
    },
  };
}

interface Backend {
  readonly socket: Socket;
  /** Called with each message of PostgreSQL. */
  onResponse: (message: Buffer) => void;
}

/** A session of PostgreSQL, whose protocol continues after its start. */
async function connectBackend(postgres: ClientConfig): Promise<Backend> {
  const client = new Client(postgres);
  await client.connect();
  const { stream: socket } = (client as Client & { readonly connection: { readonly stream: Socket } })
    .connection;
  for (const event of ['data', 'error', 'close', 'end']) socket.removeAllListeners(event);
  socket.on('error', () => undefined);
  const backend: Backend = { socket, onResponse: () => undefined };
  socket.on(
    'data',
    eachMessage((response) => backend.onResponse(response)),
  );
  return backend;
}

function serve(
  near: Socket,
  pool: { mode: PoolMode; acquire: () => Promise<Backend>; release: (backend: Backend) => void },
): void {
  let lent: Promise<Backend> | undefined;
  let pending = 0;
  const forward = async (request: Buffer): Promise<void> => {
    // Each gets a ReadyForQuery.
    if (/^[QS]/.test(String(request))) pending += 1;
    lent ??= pool.acquire();
    const backend = await lent;
    backend.onResponse = (response) => {
      if (response[0] === ready[0]) pending -= 1;
      if (response.equals(ready) && pending === 0 && pool.mode !== 'session') {
        lent = undefined;
        pool.release(backend);
      }
      near.write(response);
    };
    backend.socket.write(request);
  };
  near.on(
    'data',
    eachMessage((request) => {
      const text = request.toString('latin1');
      if (text.startsWith('X')) near.end();
      else if (pool.mode === 'statement' && /^Q.{4}begin/s.test(text))
        near.end(errorMessage('transaction blocks not allowed in statement pooling mode'));
      else void forward(request);
    }),
  );
  // A connection whose last request has no response cannot be lent again.
  const end = (backend: Backend) => (pending === 0 ? pool.release(backend) : backend.socket.destroy());
  near.on('close', () => void lent?.then(end));
}

/** Splits what a socket receives into messages: a letter, the length of the rest, and the rest. */
function eachMessage(handle: (message: Buffer) => void): (bytes: Buffer) => void {
  let received = Buffer.alloc(0);
  return (bytes) => {
    received = Buffer.concat([received, bytes]);
    while (received.length >= 5 && received.length > received.readInt32BE(1)) {
      const end = 1 + received.readInt32BE(1);
      const complete = received.subarray(0, end);
      received = received.subarray(end);
      handle(complete);
    }
  };
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}

function message(type: string, ...parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  return Buffer.concat([Buffer.from(type), int32(4 + body.length), body]);
}

/** PostgreSQL waits for a statement, in no transaction. */
const ready = message('Z', Buffer.from('I'));

function errorMessage(text: string): Buffer {
  return message('E', Buffer.from(`SFATAL\0C08P01\0M${text}\0\0`));
}
