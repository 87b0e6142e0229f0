import { expect, test } from 'vitest';
import { settings } from '../../server/src/config/settings.ts';
import { opentillHere } from './program-process.ts';

test.each(['serve', 'doctor'])('%s --help lists a flag for every setting', async (name) => {
  const { stdout } = await opentillHere([name, '--help']);
  const flags = [...stdout.matchAll(/^ {2}(--[a-z-]+) .*\n(?: {4}.*\n)*/gm)].flatMap(([text, flag]) => {
    const [, setting] = /\((\w+); default/.exec(text.replaceAll(/\s+/g, ' ')) ?? [];
    return setting === undefined ? [] : [[setting, flag]];
  });
  const expected = Object.keys(settings).map((setting) => [
    setting,
    `--${setting.replace('OPENTILL_', '').toLowerCase().replaceAll('_', '-')}`,
  ]);
  expect(flags).toEqual(expected);
});

test.each([
  ['an unknown command', ['creat'], /^error: unknown command 'creat'\n/],
  ['a missing argument', ['app', 'create'], /^error: missing required argument 'package-name'\n$/],
  [
    'a value that is not a valid choice',
    ['purchase', 'void', 'a', 'b', '--reason', 'x'],
    /argument 'x' is invalid\. Expected customer or system\.\n$/,
  ],
  ['neither of two alternative options', ['clock', 'advance', 'a'], /^Use exactly one of --by and --to\.\n$/],
])('a command line with %s is rejected in one line with the exit code 2', async (_, args, line) => {
  const env = { OPENTILL_OPERATOR_KEY: 'operator-key-0123456789' };
  const { code, stdout, stderr } = await opentillHere(args, { env });
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toMatch(line);
});
