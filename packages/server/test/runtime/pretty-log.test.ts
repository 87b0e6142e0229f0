import { pino } from 'pino';
import { expect, test } from 'vitest';
import { logOptions, prettyLines } from '../../src/runtime/log.ts';

/** Returns the lines written while `work` logs, without their times. */
function logged(work: (log: pino.Logger) => void): string {
  const written: string[] = [];
  const target = { write: (text: string) => written.push(text) };
  work(pino(logOptions, prettyLines(target, { hasColors: false })));
  return written.map((text) => text.replace(/^\[\d\d:\d\d:\d\d\] /, '')).join('');
}

const request = { requestId: 'r1', operationId: 'consumePurchase', app: 'com.a', outcome: 'success' };

test('a request shows its operation, status, outcome, duration and app', () => {
  expect(logged((log) => log.info({ ...request, status: 200, ms: 3.1 }))).toBe(
    'INFO: consumePurchase 200 success 3.1 ms {"app":"com.a"}\n',
  );
});

test('control characters of an app name do not reach the terminal', () => {
  const line = { ...request, app: 'a\u001b[2Jb\n', outcome: 'notFound', status: 404, ms: 1 };
  expect(logged((log) => log.info(line))).toBe(
    'INFO: consumePurchase 404 notFound 1 ms {"app":"a\\u001b[2Jb\\n"}\n',
  );
});
