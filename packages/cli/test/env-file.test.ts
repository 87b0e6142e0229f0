// The file of --env-file: its values are those that systemd and a shell read, or it is refused.

import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { makeScratch } from '../../../test/support/embedded/scratch.ts';
import { adminKey, startTestServer } from '../../../test/support/harness.ts';
import { opentill, opentillHere } from '../../../test/support/start/program-process.ts';
import { writeTlsFiles } from '../../../test/support/start/test-certificate.ts';
import { parseEnvFile } from '../src/env-file.ts';

const valuesOf = (text: string) => {
  try {
    return parseEnvFile(text, 'f');
  } catch (error) {
    return (error as Error).message;
  }
};

test.each([
  ['A=a#b', 'a#b'],
  ['A=#b', '#b'],
  ['# A=0\n\n \t# 1\n A=x  ', 'x'],
  ['A=', ''],
  ["A='a b'\n", 'a b'],
  [`A='a "b" $c \\'`, 'a "b" $c \\'],
  [String.raw`A="a \"b\" \$c \\ \d"`, String.raw`a "b" $c \ \d`],
  [`A='a'"b"c`, 'abc'],
  ['A=a\\\nb', 'ab'],
  ['A="a\\\nb"', 'ab'],
  ["A='a\nb'", 'a\nb'],
  [String.raw`A=a\&b\ \\`, 'a&b \\'],
  ['A=postgresql://u:p@h/d?sslmode=verify-full', 'postgresql://u:p@h/d?sslmode=verify-full'],
  ['A=1\nA=2', '2'],
])('%j gives the variable A the value %j', (text, value) => {
  expect(valuesOf(text)).toEqual({ A: value });
});

const quotes = (character: string) =>
  `A: expected quotes around the whole value, because systemd and a shell read ${character} differently without them`;
const name = 'expected NAME=value, without export and without spaces around =';

test.each([
  ['A=x?a=1&b=2', quotes('"&"')],
  ['A=a b', quotes('" "')],
  ['A= a', quotes('" "')],
  ['A=a # b', quotes('" "')],
  ["A='a' 'b'", quotes('" "')],
  ["A=a'b'", quotes(`"'"`)],
  ['A=$B', quotes('"$"')],
  ['A=~/b', quotes('"~"')],
  ['A="$B"', 'A: expected a closing ", and a backslash before each $ and ` in double quotes'],
  ['A="a', 'A: expected a closing ", and a backslash before each $ and ` in double quotes'],
  ["A='a", "A: expected a closing '"],
  ['A=a\\', 'A: expected a character after the last backslash'],
  ['export A=b', name],
  ['A = b', name],
  ['A', name],
  [';A=b', 'expected a comment to start with #, because ; is one for systemd only'],
  ['# a \\', 'expected a comment that does not end with a backslash, which would continue it'],
  ['A=b\r', 'expected lines that end with LF alone, got CR or NUL'],
])('%j is refused with its line and a reason', (text, reason) => {
  expect(valuesOf(`# first\nB=\\\n1\n${text}`)).toBe(`--env-file: f, line 4: ${reason}.`);
});

test('a file that is accepted has the same values for a shell', async () => {
  await using scratch = await makeScratch();
  const path = join(scratch.path, 'f');
  const piece = fc.constantFrom(...`ab#='"\\\n \t&;|<>()$\`~:*?[]{}!%^,-ü`, '\nB=', 'A=', '\\\n', "''");
  const texts = fc.array(piece, { maxLength: 12 }).map((pieces) => `A=${pieces.join('')}`);
  const many = fc.sample(texts, 4_000).filter((text) => typeof valuesOf(text) === 'object');
  expect(many.length).toBeGreaterThan(300);
  const lines = many.map(
    (_, index) => `(unset A B; . "$1/${index}"; printf '%s\\0%s\\0' "\${A-none}" "\${B-none}")`,
  );
  await Promise.all(many.map((text, index) => writeFile(join(scratch.path, String(index)), text)));
  await writeFile(path, lines.join('\n'));
  const read = execFileSync('/bin/sh', [path, scratch.path], { encoding: 'utf8' }).split('\0');
  many.forEach((text, index) => {
    const { A = 'none', B = 'none' } = valuesOf(text) as Record<string, string>;
    expect([text, ...read.slice(index * 2, index * 2 + 2)]).toEqual([text, A, B]);
  });
});

test('opentill --env-file sets the variables of a file for its command, and refuses one that has another value', async () => {
  await using scratch = await makeScratch();
  const path = join(scratch.path, 'till.env');
  await writeFile(
    path,
    "OPENTILL_ENVIRONMENT=production\nDATABASE_URL='postgresql://till@127.0.0.1:1/a?options=x&ssl=b'\n",
  );
  const doctor = (env = {}) => opentillHere(['--env-file', path, 'doctor'], { env: { ...env } });
  const { code, stdout } = await doctor({ OPENTILL_ENVIRONMENT: 'production' });
  expect([code, stdout]).toEqual([1, expect.stringContaining('connect ECONNREFUSED 127.0.0.1:1')]);
  const differing = `--env-file: ${path} and the environment have different values of OPENTILL_ENVIRONMENT: unset or remove one.\n`;
  expect(await doctor({ OPENTILL_ENVIRONMENT: 'sandbox' })).toEqual({
    code: 2,
    stdout: '',
    stderr: differing,
  });
  await writeFile(path, 'DATABASE_URL=postgresql://till@127.0.0.1:1/a?sslmode=verify-full&sslrootcert=b\n');
  expect(await doctor()).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringContaining(', line 1: DATABASE_URL: '),
  });
});

test('a command trusts the certificates of NODE_EXTRA_CA_CERTS in its --env-file', async () => {
  await using scratch = await makeScratch();
  const files = await writeTlsFiles(scratch.path);
  await using secure = await startTestServer({ env: files });
  const path = join(scratch.path, 'till.env');
  const list = async (...lines: readonly string[]) => {
    const address = [`OPENTILL_OPERATOR_URL=${secure.operatorUrl}`, `OPENTILL_OPERATOR_KEY=${adminKey}`];
    await writeFile(path, [...address, ...lines].join('\n'));
    return await opentill(['--env-file', path, 'app', 'list']);
  };
  expect((await list()).stderr).toContain('self-signed certificate');
  expect(await list(`NODE_EXTRA_CA_CERTS=${files.OPENTILL_TLS_CERT}`)).toMatchObject({
    code: 0,
    stderr: 'None.\n',
  });
});
