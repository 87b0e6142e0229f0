// A name server on a real socket, with the responses of the test.

import { createSocket } from 'node:dgram';
import { once } from 'node:events';

/** The addresses of one kind, as bytes, or an error code (RFC 1035). */
export type NameAnswer = readonly (readonly number[])[] | { readonly failure: number };

export const serverFailure: NameAnswer = { failure: 2 };
export const noSuchName: NameAnswer = { failure: 3 };

const headerBytes = 12;
const typeOfV6 = 28;

export interface TestNameServer extends AsyncDisposable {
  /** In the format of Resolver.setServers. */
  readonly address: string;
}

/** `answer` is called for each kind of address. */
export async function startTestNameServer(
  answer: (name: string, kind: 4 | 6) => NameAnswer,
): Promise<TestNameServer> {
  const socket = createSocket('udp4');
  socket.on('message', (query, { address, port }) => socket.send(answered(query, answer), port, address));
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return {
    address: `127.0.0.1:${socket.address().port}`,
    async [Symbol.asyncDispose]() {
      socket.close();
      await once(socket, 'close');
    },
  };
}

function answered(query: Buffer, answer: (name: string, kind: 4 | 6) => NameAnswer): Buffer {
  const labels: string[] = [];
  let at = headerBytes;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  const type = query.readUInt16BE(at + 1);
  const question = query.subarray(headerBytes, at + 5);
  const said = answer(labels.join('.'), type === typeOfV6 ? 6 : 4);
  const addresses = 'failure' in said ? [] : said;
  const header = Buffer.from(query.subarray(0, headerBytes));
  // The header of a recursive response with one question and the number of addresses.
  header.writeUInt16BE(0x8180 | ('failure' in said ? said.failure : 0), 2);
  for (const [index, count] of [1, addresses.length, 0, 0].entries())
    header.writeUInt16BE(count, 4 + 2 * index);
  const records = addresses.map((bytes) => {
    const record = Buffer.alloc(headerBytes);
    record.writeUInt16BE(0xc000 | headerBytes, 0);
    record.writeUInt16BE(type, 2);
    record.writeUInt16BE(1, 4);
    record.writeUInt16BE(bytes.length, 10);
    return Buffer.concat([record, Buffer.from(bytes)]);
  });
  return Buffer.concat([header, question, ...records]);
}
