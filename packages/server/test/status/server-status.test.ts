// What the servers of the store run with, without secrets.

import { getServerStatus } from '@opentill/contract/operator-api/getServerStatus.ts';
import { expect, test } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { settingNames } from '../../src/config/settings.ts';
import { operate, startTestServer, supportKey, testNow, useTestServer } from '../harness.ts';
import { callOperator } from '../operator-api/checked-call.ts';

const server = await useTestServer();

test('the status has the processes, the database, the pauses, the gateway, the settings and the operator keys', async () => {
  await operate(server, 'POST', '/renewals/pause', { body: { note: 'an outage' } });
  const { body } = await callOperator(server, getServerStatus, { key: supportKey });
  const pause = { scope: 'store', since: testNow, madeBy: 'operator:admin', reason: 'an outage' };
  expect(body).toMatchObject({
    environment: 'sandbox',
    version: packageJson.version,
    processes: [{ startedAt: testNow, version: packageJson.version, clockDifferenceMs: 0 }],
    database: { isDistributed: expect.any(Boolean) },
    renewals: { paused: true, pauses: [pause] },
    paymentGateway: { kind: 'simulated' },
    operatorKeys: [
      { name: 'admin', role: 'admin' },
      { name: 'checkout', role: 'record' },
      { name: 'helpdesk', role: 'support' },
    ],
  });
  expect(body.database.version).toMatch(/^\d+/);
  expect(body.database.bytes).toBeGreaterThan(1_000_000);
  expect(body.settings).toContainEqual({ name: 'OPENTILL_PORT', value: '0' });
  expect(body.settings).toContainEqual({ name: 'OPENTILL_POOL_SIZE', value: '10' });
  expect(body.settings).toContainEqual({ name: 'OPENTILL_RATE_LIMIT' });
});

test('no part of the status contains a secret of the settings, only whether it is set', async () => {
  const mark = 'never-shown-0123456789-abcdefghijkl';
  const bytes = Buffer.from(mark);
  const secrets: Readonly<Record<string, string>> = {
    DATABASE_URL: `postgresql://till:${mark}@127.0.0.1:5432/till`,
    OPENTILL_OPERATOR_KEY: `${mark}-1`,
    OPENTILL_OPERATOR_KEYS: `helpdesk:support:${mark}-2`,
    OPENTILL_TOKEN_KEYS: `1:${bytes.toString('base64url')}`,
    OPENTILL_PAYMENT_GATEWAY_URL: `https://pay.example.com/${mark}?key=${mark}`,
    OPENTILL_PAYMENT_GATEWAY_SECRET: `whsec_${bytes.toString('base64')}`,
  };
  await using production = await startTestServer({
    env: { OPENTILL_ENVIRONMENT: 'production', ...secrets },
  });
  const { body, text } = await callOperator(production, getServerStatus);
  for (const form of [mark, bytes.toString('base64url'), bytes.toString('base64')]) {
    expect(text).not.toContain(form);
  }
  const inFiles = settingNames.flatMap((name) =>
    name.endsWith('_FILE') ? [name.replace(/_FILE$/, '')] : [],
  );
  const values: Readonly<Record<string, string>> = Object.fromEntries(
    body.settings.map(({ name, value }: { name: string; value?: string }) => [name, value]),
  );
  expect(Object.keys(secrets)).toEqual(expect.arrayContaining(inFiles));
  expect(Object.keys(secrets).map((name) => values[name])).toEqual(Object.keys(secrets).map(() => 'set'));
  expect(body.paymentGateway).toEqual({ kind: 'http', host: 'pay.example.com' });
  const { body: unset } = await callOperator(server, getServerStatus);
  expect(unset.settings).toContainEqual({ name: 'DATABASE_URL', value: 'not set' });
});
