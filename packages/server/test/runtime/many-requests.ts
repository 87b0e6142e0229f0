// A program, run with --expose-gc, that sends 20,000 requests and prints by how many MB its heap has grown after garbage
// collection.

import { createServer } from 'node:http';
import { listenOnLoopback } from '../../../../test/support/loopback.ts';
import { OutgoingHttp } from '../../src/runtime/outgoing-http.ts';

const requests = 20_000;
const atOnce = 50;
const collections = 100;

const receiver = createServer((request, response) => {
  request.resume().on('end', () => response.end('{}'));
});
await using listening = await listenOnLoopback(receiver);
using http = new OutgoingHttp({ withinMs: 600_000, bodyBytesMax: 1_000 });
const url = new URL(`http://127.0.0.1:${listening.port}/`);
/** Lives as long as the program, as those of a server do. */
const { signal } = new AbortController();

async function send(count: number): Promise<void> {
  for (let sent = 0; sent < count; sent += atOnce) {
    const responses = Array.from({ length: atOnce }, () =>
      http.send({ method: 'POST', url, body: '{}', signal }),
    );
    for (const { status } of await Promise.all(responses)) {
      if (status !== 200) throw new Error(`expected the status 200, got ${status}`);
    }
  }
}

/** The lowest of several collections, because Node.js runs finalizers of an earlier one in between. */
async function heapMb(): Promise<number> {
  let lowest = Infinity;
  for (let collection = 0; collection < collections; collection += 1) {
    globalThis.gc?.();
    lowest = Math.min(lowest, process.memoryUsage().heapUsed / 1e6);
    await new Promise((resolve) => setImmediate(resolve));
  }
  return lowest;
}

await send(requests / 10);
const before = await heapMb();
await send(requests);
process.stdout.write(String((await heapMb()) - before));
