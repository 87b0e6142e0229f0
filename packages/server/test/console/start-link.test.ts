// When the welcome prints a link that signs in to the console.

import { expect, test } from 'vitest';
import { readConfig } from '../../src/config/config.ts';
import { printsConsoleLink } from '../../src/program/console.ts';
import { adminKey } from '../harness.ts';

const prints = (env: Readonly<Record<string, string>>, key: string | undefined = adminKey) =>
  printsConsoleLink(readConfig(env, { wantsDemo: true }), key);

test('a start with the demo prints a link if the operator listener is on loopback', () => {
  expect(prints({})).toBe(true);
  expect(prints({ OPENTILL_OPERATOR_HOST: '::1' })).toBe(true);
});

test.each([
  ['in production', { OPENTILL_ENVIRONMENT: 'production' }],
  ['behind a proxy, through which others can open it', { OPENTILL_TRUSTED_PROXIES: 'loopback' }],
  [
    'on an address that others can reach',
    { OPENTILL_OPERATOR_HOST: '0.0.0.0', OPENTILL_TRUSTED_PROXIES: 'loopback' },
  ],
])('a start %s prints no link', (_, env) => {
  expect(prints(env)).toBe(false);
});
