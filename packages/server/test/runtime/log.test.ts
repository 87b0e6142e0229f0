// What the log writes at once, and what it gathers: lines of calls, until a block is full or its time has come.

import { mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { waitFor } from '../../../../test/support/wait-for.ts';
import { type LogLevel, openLog } from '../../src/runtime/log.ts';

function openTestLog(level: LogLevel = 'info') {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const folder = mkdtempSync(join(tmpdir(), 'opentill-log-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'log');
  const opened = openLog({ level, format: 'json', hasColors: false, fd: openSync(file, 'w') });
  const lines = () =>
    readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line));
  return { ...opened, lines };
}

const call = {
  requestId: 'r-1',
  operationId: 'getPurchaseDetails',
  app: 'com.a"\u001b\n',
  by: undefined,
  address: '192.0.2.1',
  outcome: 'success',
  status: 200,
  ms: 0.123,
};

test('a line of a call has the form of the other lines, with its fields in order and escaped', async () => {
  const { log, logCall, close, lines } = openTestLog();
  log.info(call);
  logCall('info', call);
  logCall('info', { ...call, app: null, by: 'key:"root"' });
  await close();
  const [byPino, line, other] = lines();
  expect({ ...line, time: byPino.time }).toEqual(byPino);
  expect(Object.keys(line)).toEqual(Object.keys(byPino));
  expect(Math.abs(line.time - byPino.time)).toBeLessThan(60_000);
  expect(other).toMatchObject({ app: null, by: 'key:"root"' });
});

test('lines of calls are gathered, and any other line is written at once with those before it', async () => {
  const { log, logCall, close, lines } = openTestLog();
  logCall('info', call);
  logCall('info', { ...call, requestId: 'r-2' });
  expect(lines()).toEqual([]);
  log.error('failed');
  await waitFor(() => lines().length === 3, { what: 'the line of the error' });
  expect(lines().map(({ requestId, msg }) => requestId ?? msg)).toEqual(['r-1', 'r-2', 'failed']);
  await close();
});

test('a full block is written, and a part of one within half a second', async () => {
  const { logCall, close, lines } = openTestLog();
  for (let n = 0; n < 40; n += 1) logCall('info', call);
  await waitFor(() => lines().length > 0, { what: 'a full block' });
  expect(lines().length).toBeLessThan(40);
  vi.advanceTimersByTime(500);
  await waitFor(() => lines().length === 40, { what: 'the rest' });
  await close();
});

test('at an orderly end every gathered line is written, and none after it', async () => {
  const { logCall, close, lines } = openTestLog();
  for (let n = 0; n < 1_000; n += 1) logCall('info', { ...call, requestId: `r-${n}` });
  expect(await close()).toBe(true);
  logCall('info', call);
  expect(lines().map(({ requestId }) => requestId)).toEqual(
    Array.from({ length: 1_000 }, (_, n) => `r-${n}`),
  );
});

test('a level that the log does not include has no line of a call', async () => {
  const { logCall, close, lines } = openTestLog();
  logCall('debug', call);
  await close();
  expect(lines()).toEqual([]);
});
