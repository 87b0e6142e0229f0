import { expect, test } from 'vitest';
import { opentill } from './program-process.ts';

const env = {
  OPENTILL_ENVIRONMENT: 'production',
  OPENTILL_OPERATOR_KEY: 'an-operator-key-of-the-store-0123456789',
  OPENTILL_TOKEN_KEYS: `1:${Buffer.alloc(32, 7).toString('base64url')}`,
  DATABASE_URL: 'postgresql://till:password@db.internal/till?sslmode=disable',
  OPENTILL_PAYMENT_GATEWAY_URL: 'http://pay.store.example/charge',
  OPENTILL_PAYMENT_GATEWAY_SECRET: `whsec_${Buffer.alloc(32, 7).toString('base64')}`,
};
const problems = [
  'DATABASE_URL: expected sslmode=verify-full for a database on another machine, got sslmode=disable; OPENTILL_DATABASE_PLAINTEXT=true is for private networks.',
  'OPENTILL_PAYMENT_GATEWAY_URL: expected https://host/path without a user; http is for loopback only.',
];

test('a start and doctor reject a payment gateway or database on another machine without TLS', async () => {
  const start = await opentill(['serve'], { env });
  expect(start).toMatchObject({ code: 1, stdout: '', stderr: `${problems.join('\n')}\n` });
  const doctor = await opentill(['doctor', '--json'], { env });
  expect(doctor.code).toBe(1);
  const results: { name: string; verdict: string; detail: string }[] = JSON.parse(doctor.stdout);
  const settings = results.filter(({ name }) => name === 'settings');
  expect(settings.map(({ verdict, detail }) => [verdict, detail])).toEqual(
    problems.map((problem) => ['failed', problem]),
  );
});
