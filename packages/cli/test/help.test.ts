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
  [
    'an unknown command of a group',
    ['app', 'creat', 'x'],
    /^error: unknown command 'creat'\n\(Did you mean create\?\)\n$/,
  ],
  ['an unknown option', ['app', 'list', '--al'], /^error: unknown option '--al'\n/],
  ['a missing argument', ['app', 'create'], /^error: missing required argument 'package-name'\n$/],
  ['one argument too many', ['app', 'list', 'x'], /^error: too many arguments for 'list'\..*\n$/],
  [
    'a missing option',
    ['product', 'put', 'a', 'b'],
    /^error: required option '--type <type>' not specified\n$/,
  ],
  [
    'a value that is not a number',
    ['app', 'list', '--limit', '0'],
    /argument '0' is invalid\. Expected a whole number from 1 to 1000000\.\n$/,
  ],
  [
    'a value that is not an instant',
    ['purchase', 'list', 'a', '--from', 'May'],
    /argument 'May' is invalid\. Expected ms since 1970/,
  ],
  [
    'a value that is not a valid choice',
    ['purchase', 'void', 'a', 'b', '--reason', 'x'],
    /argument 'x' is invalid\. Expected customer or system\.\n$/,
  ],
  ['neither of two alternative options', ['clock', 'advance', 'a'], /^Use exactly one of --by and --to\.\n$/],
  ['an invalid URL', ['app', 'list', '--operator-url', 'ftp://x'], /^host: expected a host such as /],
  [
    'a file together with the options of a fault',
    ['fault', 'put', 'a', '--file', 'x', '--code', '1'],
    /^Use either --file or /,
  ],
])('a command line with %s is rejected in one line with the exit code 2', async (_, args, line) => {
  const env = { OPENTILL_OPERATOR_KEY: 'operator-key-0123456789' };
  const { code, stdout, stderr } = await opentillHere(args, { env });
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toMatch(line);
});
