// What the log says of operators, their addresses and refused credentials.

import { beforeEach, expect, test } from 'vitest';
import {
  createTestApp,
  operate,
  requestToken,
  supportKey,
  useTestServer,
} from '../../../../test/support/harness.ts';
import { waitFor } from '../../../../test/support/wait-for.ts';

const logLines: string[] = [];
const server = await useTestServer({ logLines });
const app = await createTestApp(server);
beforeEach(() => {
  logLines.length = 0;
});

/** Lines are written after the response. */
const lineWith = (part: object) =>
  waitFor(
    async () =>
      logLines
        .map((line) => JSON.parse(line))
        .find((line) => Object.entries(part).every(([name, value]) => line[name] === value)),
    { what: `a log line with ${JSON.stringify(part)}` },
  );

test('the line of a request has the name of the operator key and the client address', async () => {
  await operate(server, 'GET', '/apps', { key: supportKey });
  expect(await lineWith({ operationId: 'listApps' })).toMatchObject({
    by: 'operator:helpdesk',
    address: '127.0.0.1',
  });
  expect((await requestToken(server, app)).status).toBe(200);
  const line = await lineWith({ operationId: 'getAccessToken' });
  expect(line.address).toBe('127.0.0.1');
  expect(line).not.toHaveProperty('by');
});

test('refused operator keys and client secrets get 401 and 400 however many there are, and are logged with the address and counted', async () => {
  const counted = async () => {
    const text = await (await fetch(`${server.operatorUrl}/metrics`)).text();
    return [...text.matchAll(/^opentill_wrong_(?:operator_keys|client_secrets)_total (\d+)$/gm)].map(
      ([, count]) => Number(count),
    );
  };
  expect(await counted()).toEqual([0, 0]);
  for (let count = 1; count <= 11; count += 1)
    expect((await operate(server, 'GET', '/apps', { key: 'a wrong key' })).status).toBe(401);
  for (let count = 1; count <= 101; count += 1)
    expect((await requestToken(server, { ...app, clientSecret: 'wrong' })).status).toBe(400);
  for (const msg of ['wrong operator key', 'wrong client secret']) {
    expect(await lineWith({ msg })).toMatchObject({ level: 40, address: '127.0.0.1' });
  }
  expect(logLines.join('')).not.toContain('a wrong key');
  expect(await counted()).toEqual([11, 101]);
});
