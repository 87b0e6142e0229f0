import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { meaningfulLine, openBoundedLog } from '../../src/embedded/bounded-log.ts';
import { makeScratch } from './scratch.ts';

test('the log and its one predecessor never hold more than twice the bound and the newest line is there', async () => {
  await using scratch = await makeScratch();
  const path = join(scratch.path, 'postgres.log');
  for (let opening = 0; opening < 3; opening += 1) {
    const log = openBoundedLog(path, 1_000);
    for (let line = 0; line < 100; line += 1) log.write(`opening ${opening}, line ${line}\n`);
    log.close();
  }
  const [current, before] = [await stat(path), await stat(`${path}.1`)];
  expect(current.size).toBeLessThan(1_100);
  expect(before.size).toBeLessThan(1_100);
  expect(current.mode & 0o777).toBe(0o600);
  expect((await readFile(`${path}.1`, 'utf8')) + (await readFile(path, 'utf8'))).toContain(
    'opening 2, line 99\n',
  );
});

test('the line that is told is the last one that says what was fatal, else the last one', () => {
  const fatal = '2026-01-01 00:00:00.000 UTC [1] FATAL:  could not open file';
  expect(meaningfulLine(['LOG:  starting', 'FATAL:  an earlier one', fatal, 'HINT:  look there'])).toBe(
    fatal,
  );
  expect(meaningfulLine(['LOG:  starting', 'LOG:  stopping', ' '])).toBe('LOG:  stopping');
  expect(meaningfulLine([])).toBe('it said nothing');
});
