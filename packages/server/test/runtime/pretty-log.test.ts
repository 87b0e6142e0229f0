import { pino } from 'pino';
import { expect, test } from 'vitest';
import { logOptions, prettyLines } from '../../src/runtime/log.ts';

/** Returns the lines written while `work` logs, without their times. */
function logged(work: (log: pino.Logger) => void): string {
  const written: string[] = [];
  const target = { write: (text: string) => written.push(text) };
  work(pino(logOptions, prettyLines(target, { hasColors: false })));
  return written.map((text) => text.replace(/\d\d:\d\d:\d\d /, '')).join('');
}

const request = { requestId: 'r1', operationId: 'consumePurchase', app: 'com.a', outcome: 'success' };

test('a successful request shows its operation, app, status and rounded duration', () => {
  expect(logged((log) => log.info({ ...request, status: 200, ms: 3.1234 }))).toBe(
    'consumePurchase com.a 200 3.1 ms\n',
  );
});

test('a rejected request shows its error code after the status', () => {
  const line = { ...request, app: null, outcome: '9201', status: 400, ms: 12 };
  expect(logged((log) => log.info(line))).toBe('consumePurchase 400 9201 12 ms\n');
});

test('a warning shows its level and its other fields on one line', () => {
  expect(logged((log) => log.warn({ files: ['operator.key'] }, 'secret files were readable'))).toBe(
    'WARN secret files were readable {"files":["operator.key"]}\n',
  );
});

test('an error shows its operation and its stack', () => {
  const text = logged((log) =>
    log.error(
      { err: new Error('no table'), requestId: 'r1', operationId: 'getApp', app: 'a' },
      'a call failed',
    ),
  );
  expect(text).toMatch(/^ERROR a call failed getApp a/);
  expect(text).toContain('Error: no table');
  expect(text).toContain('pretty-log.test.ts');
});

test('control characters of an app name do not reach the terminal', () => {
  const line = { ...request, app: 'a\u001b[2Jb\n', status: 404, ms: 1 };
  expect(logged((log) => log.info(line))).toBe('consumePurchase a\ufffd[2Jb\ufffd 404 1 ms\n');
});
