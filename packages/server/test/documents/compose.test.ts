// compose.yaml, as far as it can be tested without a container engine: its settings start a server, and a stop has the time
// that it may take.

import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { readConfig } from '../../src/config/config.ts';
import { drainMs, stopWithinMs } from '../../src/program/process-end.ts';

const read = (path: string) => readFile(new URL(`../../../../${path}`, import.meta.url), 'utf8');
const { services, networks } = parse(await read('compose.yaml'));

const env = {
  OPENTILL_TOKEN_KEYS: `1:${Buffer.alloc(32, 1).toString('base64url')}`,
  OPENTILL_OPERATOR_KEYS: 'root:admin:an-operator-key-of-the-store-0123456789',
  POSTGRES_PASSWORD: 'a-password',
};

/** Fills in variables as Compose does: `${name}`, `${name:-default}` and `${name:?message}`. */
function filledIn(text: string, values: Readonly<Record<string, string>>): string {
  return text.replaceAll(/\$\{(\w+)(?::([-?])([^}]*))?\}/g, (_, name, kind, rest) => {
    if (kind === '?' && values[name] === undefined) throw new Error(`${name}: ${rest}`);
    return values[name] ?? rest ?? '';
  });
}

const settingsOf = (values: Readonly<Record<string, string>>) =>
  Object.fromEntries(
    Object.entries<string>(services.opentill.environment).map(([name, text]) => [
      name,
      filledIn(text, values),
    ]),
  );

test.each(['sandbox', 'production'])('compose.yaml starts a server of the %s environment', (environment) => {
  const config = readConfig({
    ...settingsOf({ ...env, OPENTILL_ENVIRONMENT: environment }),
    OPENTILL_HOST: '0.0.0.0',
  });
  expect(config).toMatchObject({
    environment,
    databaseUrl: 'postgresql://opentill:a-password@database/opentill?sslmode=disable',
  });
  const [{ subnet }] = networks.default.ipam.config;
  expect(config.trustedProxies?.at(-1)?.[0].toString()).toBe(subnet.replace('.0/24', '.1'));
});

test('HAProxy notices that a server drains, and everything that stops one waits for the end', async () => {
  const [, seconds, failures] =
    /inter (\d+)s fall (\d+)/.exec(await read('packaging/proxy/haproxy.cfg')) ?? [];
  expect(Number(seconds) * 1_000 * (Number(failures) + 1)).toBeLessThan(drainMs);
  const [, ofUnit] = /^TimeoutStopSec=(\d+)$/m.exec(await read('packaging/opentill.service')) ?? [];
  const [, ofDocker] = /--stop-timeout (\d+)/.exec(await read('docs/deployment.md')) ?? [];
  expect([`${ofUnit}s`, `${ofDocker}s`]).toEqual(Array(2).fill(services.opentill.stop_grace_period));
  expect(Number(ofUnit) * 1_000).toBeGreaterThan(drainMs + stopWithinMs);
});
