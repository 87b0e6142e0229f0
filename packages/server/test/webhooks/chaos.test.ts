// A receiver in trouble and servers that are killed, in small (chaos.ts).

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { ClientConfig } from 'pg';
import { expect, test } from 'vitest';
import { adminKey, call, freshDatabase } from '../harness.ts';
import { waitFor } from '../wait-for.ts';
import { type ChaosServer, runChaos } from './chaos.ts';

const program = join(import.meta.dirname, 'hooked-server.ts');

const attemptMs = 400;

async function startHookedServer(connection: ClientConfig): Promise<ChaosServer> {
  const order = JSON.stringify({ connection, adminKey, attemptMs });
  const child = spawn(process.execPath, [program, order], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'close');
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL');
    await ended;
  };
  const operatorUrl = await readUrl(child);
  return {
    kill,
    operate: (method, path, body) =>
      call(`${operatorUrl}/operator/v1${path}`, {
        method,
        headers: { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    [Symbol.asyncDispose]: kill,
  };
}

function readUrl(child: ChildProcess): Promise<string> {
  let said = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  return waitFor(() => /operator API\s+(http:\/\/[^\s/]+)/.exec(said)?.[1], {
    deadlineMs: 30_000,
    what: 'a server that listens',
  });
}

test('every event arrives, in order for each purchase, and doubles are the same call again', async () => {
  await using database = await freshDatabase();
  const { connection } = database;
  const report = await runChaos({
    connection,
    appCount: 3,
    purchasesOfApp: 20,
    attemptMs,
    start: () => startHookedServer(connection),
    serverCount: 2,
    kills: 3,
    endsLeases: true,
    deadlineMs: 90_000,
  });
  expect(report).toMatchObject({
    events: 180,
    acknowledged: 180,
    killed: 3,
    altered: 0,
    states: { delivered: 180 },
  });
  expect(report.states).toEqual({ delivered: 180 });
  expect(report.overtaking).toBeLessThanOrEqual(2 * report.died);
  // A third of the calls fail, so that there were doubles to look at.
  expect(report.doubles).toBeGreaterThan(30);
}, 120_000);
