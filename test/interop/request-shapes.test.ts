// Requests as programs in the field write them, sent to a raw socket.

import { connect } from 'node:net';
import { takeDatabase } from '@opentill/server/program/testing-databases.ts';
import { startSandbox } from '@opentill/server/testing';
import { expect, test } from 'vitest';
import { databaseUrlOf } from '../../packages/server/test/database-url.ts';
import { useForFile } from '../../packages/server/test/harness.ts';
import { setClientSecret } from '../../packages/server/test/stage.ts';
import { type RequestShape, requestShapes } from './request-shapes.ts';

const timeoutMs = 10_000;
const productId = '7100100';
/** As other stores choose them; a client that does not encode it sends a space. */
const clientSecret = 'q83vEjRWeJCrze+8SNFZ4kKvN7xI0/8=';

/** A sandbox with a purchase, and the values for the requests of its app. */
async function openStage(settings: Readonly<Record<string, string>> = {}) {
  const database = await useForFile(takeDatabase());
  const databaseUrl = databaseUrlOf(database.connection);
  const server = await useForFile(startSandbox({ settings, databaseUrl }));
  const { options, client, sandbox } = await server.createApp();
  await sandbox.putProduct({ productId, type: 'one_time', price: 1, currency: 'EUR' });
  const { purchaseId } = await sandbox.recordPurchase({ productId });
  const { access_token } = await client.getAccessToken();
  await setClientSecret(database, options, clientSecret);
  const values = {
    HOST: new URL(server.host).host,
    ID: purchaseId,
    PACKAGE: options.packageName,
    PRODUCT: productId,
    CLIENT: options.clientId,
    SECRET: clientSecret,
    ENCODED_SECRET: encodeURIComponent(clientSecret),
    TOKEN: access_token,
  };
  return { host: server.host, values };
}

function filledIn(text: string, values: Readonly<Record<string, string>>): string {
  return text.replaceAll(/\$([A-Z_]+)/g, (_, name: string) => values[name] ?? `$${name}`);
}

/** Sends a request, and reads the response until its body is complete. */
function exchange(host: string, bytes: string): Promise<{ status: number; body: string }> {
  const { hostname, port } = new URL(host);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    let received = '';
    socket.setTimeout(timeoutMs, () => socket.destroy(new Error(`no complete response: ${received}`)));
    socket.on('error', reject);
    socket.setEncoding('latin1').on('data', (text: string) => {
      received += text;
      const [head = '', body] = received.split('\r\n\r\n');
      const length = Number(/^content-length: (\d+)/im.exec(head)?.[1]);
      if (body?.length !== length) return;
      socket.destroy();
      resolve({ status: Number(head.split(' ')[1]), body });
    });
  });
}

async function send({ host, values }: Awaited<ReturnType<typeof openStage>>, shape: RequestShape) {
  const body = filledIn(shape.body ?? '', values);
  const head = filledIn(shape.head.join('\r\n'), { ...values, LENGTH: String(body.length) });
  const response = await exchange(host, `${head}\r\n\r\n${body}`);
  const { error, ...fields } = JSON.parse(response.body);
  if (error === undefined) {
    expect(fields).toMatchObject(
      head.startsWith('POST') ? { access_token: values.TOKEN } : { purchaseState: 0 },
    );
  }
  return { status: response.status, ...(error !== undefined && { code: error.code }) };
}

const byDefault = await openStage();
const withoutContentType = await openStage({ OPENTILL_REQUIRE_CONTENT_TYPE: 'false' });

test.each(requestShapes)('$name gets what the specification says', async (shape) => {
  expect(await send(byDefault, shape)).toEqual(shape.expected);
  const { expectedWithoutContentType = shape.expected } = shape;
  expect(await send(withoutContentType, shape)).toEqual(expectedWithoutContentType);
});
