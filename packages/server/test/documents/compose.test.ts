// compose.yaml, as far as it can be tested without a container engine: its settings start a server.

import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { readConfig } from '../../src/config/config.ts';

const file = new URL('../../../../compose.yaml', import.meta.url);
const { services, networks } = parse(await readFile(file, 'utf8'));

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
