// A payment gateway in a process of its own. It verifies signatures, takes money once for each key, and approves
// at once or, with DELAY_MS, after a time that is drawn anew for each charge. GET / tells what it took money for.

import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pause } from '../src/runtime/pause.ts';
import { secureRandomness } from '../src/runtime/randomness.ts';

const secret = Buffer.from((process.env['SECRET'] ?? '').replace(/^whsec_/, ''), 'base64');
const delayMsMax = Number(process.env['DELAY_MS'] ?? 0);
const taken = new Map<string, number>();
const approval = JSON.stringify({ outcome: 'paid' });

function isSigned({ headers }: IncomingMessage, body: Buffer): boolean {
  const signed = createHmac('sha256', secret)
    .update(`${headers['webhook-id']}.${headers['webhook-timestamp']}.`)
    .update(body)
    .digest('base64');
  const given = Buffer.from(String(headers['webhook-signature']));
  const expected = Buffer.from(`v1,${signed}`);
  return given.length === expected.length && timingSafeEqual(given, expected);
}

async function charge(request: IncomingMessage, response: ServerResponse, body: Buffer): Promise<void> {
  const { idempotencyKey } = JSON.parse(body.toString()) as { idempotencyKey: string };
  if (!isSigned(request, body) || request.headers['webhook-id'] !== idempotencyKey) {
    response.writeHead(401).end();
    return;
  }
  if (!taken.has(idempotencyKey)) taken.set(idempotencyKey, 1);
  if (delayMsMax > 0) await pause(secureRandomness.uint32() % delayMsMax);
  response.writeHead(200, { 'content-type': 'application/json' }).end(approval);
}

const server = createServer((request, response) => {
  if (request.method === 'GET') {
    response.end(JSON.stringify([...taken]));
    return;
  }
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    charge(request, response, Buffer.concat(chunks)).catch(() => response.destroy());
  });
});
server.keepAliveTimeout = 0;

server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  process.stdout.write(`gateway http://127.0.0.1:${port}\n`);
});
