// When the welcome prints a link that signs in to the console.

import { expect, test } from 'vitest';
import { readConfig } from '../../src/config/config.ts';
import { printsConsoleLink } from '../../src/program/console.ts';
import { adminKey } from '../harness.ts';

const prints = (env: Readonly<Record<string, string>>, key: string | undefined = adminKey) =>
  printsConsoleLink(readConfig({ OPENTILL_DEMO: 'true', ...env }), key);

test('a start with the demo prints a link if the operator listener is on loopback', () => {
  expect(prints({})).toBe(true);
  expect(prints({ OPENTILL_OPERATOR_HOST: '::1' })).toBe(true);
});

test.each([
  ['without the demo', { OPENTILL_DEMO: 'false' }],
  ['in production', { OPENTILL_DEMO: 'false', OPENTILL_ENVIRONMENT: 'production' }],
  ['without the console', { OPENTILL_CONSOLE: 'false' }],
  ['behind a proxy, through which others can open it', { OPENTILL_BEHIND_TLS_PROXY: 'true' }],
  [
    'on an address that others can reach',
    { OPENTILL_OPERATOR_HOST: '0.0.0.0', OPENTILL_BEHIND_TLS_PROXY: 'true' },
  ],
])('a start %s prints no link', (_, env) => {
  expect(prints(env)).toBe(false);
});
