// startSandbox: servers for tests, each with its own apps, that leave nothing behind.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { startSandbox } from '../../src/program/testing.ts';
import { exists } from '../../src/runtime/files.ts';
import { databaseUrlOf } from '../database-url.ts';
import { findClusterFolder, findProcessesOf } from '../embedded/scratch.ts';
import { freshDatabase } from '../harness.ts';
import { waitFor } from '../wait-for.ts';

describe('sandboxes on a given database', () => {
  test('sandboxes on a given database are complete servers, with an app of its own for each test', async () => {
    await using database = await freshDatabase();
    const databaseUrl = databaseUrlOf(database.connection);
    await using first = await startSandbox({ databaseUrl });
    const settings = {
      OPENTILL_TIME_ZONE: 'Asia/Tokyo',
      // More than the bundled PostgreSQL accepts.
      OPENTILL_POOL_SIZE: '200',
      // The sandbox sets these itself, whatever the options are.
      DATABASE_URL: 'mysql://elsewhere',
    };
    await using second = await startSandbox({ databaseUrl, settings });
    expect(new Set([first.host, second.host, first.operatorHost, second.operatorHost]).size).toBe(4);
    expect(first.operatorKey).not.toBe(second.operatorKey);
    const apps = [await first.createApp(), await first.createApp(), await second.createApp()];
    expect(new Set(apps.map(({ options }) => options.packageName)).size).toBe(3);
    for (const { client, sandbox } of apps) {
      await sandbox.putProduct({ productId: 'coins', type: 'one_time', price: 1, currency: 'EUR' });
      const { purchaseId } = await sandbox.recordPurchase({ productId: 'coins', developerPayload: 'order' });
      const claim = { purchaseId, productId: 'coins', developerPayload: 'order' };
      expect(await client.verifyPurchase(claim)).toMatchObject({ isValid: true });
      expect((await sandbox.listPurchases()).purchases).toHaveLength(1);
    }
    expect((await second.operator.listApps()).apps).toHaveLength(3);
  });
});

const program = fileURLToPath(new URL('./sandbox-program.ts', import.meta.url));

/** Runs the program with a separate temporary folder. */
async function run(...args: string[]) {
  const temporary = await mkdtemp(join(tmpdir(), 'opentill-t-'));
  const child = spawn(process.execPath, [program, ...args], {
    env: {
      PATH: '/usr/bin:/bin',
      TMPDIR: temporary,
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  const [line] = await once(createInterface(child.stdout), 'line');
  // The folder of its socket is next to it, unless root has started it.
  const folder = (await readdir(temporary)).find((name) => name.startsWith('opentill-sandbox-'));
  const dataFolder = join(temporary, folder ?? expect.fail('The sandboxes have no data folder.'));
  return {
    child,
    ended,
    said: JSON.parse(String(line)) as { left: unknown[]; purchaseId: string; found: string[][] },
    async leavesNothing(clusterFolder: string) {
      await waitFor(async () => !(await exists(dataFolder)) && !(await exists(clusterFolder)), {
        what: 'the data of the sandboxes is removed',
      });
      // The watcher removes the data before it ends.
      await waitFor(async () => findProcessesOf(clusterFolder).length === 0, {
        what: 'the processes of the sandboxes end',
      });
      await rm(temporary, { recursive: true });
    },
    clusterFolder: () => findClusterFolder(dataFolder),
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

describe('sandboxes on the bundled PostgreSQL', () => {
  test('sandboxes on the bundled PostgreSQL share it without sharing data, let their process exit and leave nothing behind', async () => {
    await using running = await run();
    const clusterFolder = await running.clusterFolder();
    expect(running.said.found).toEqual([[running.said.purchaseId], []]);
    expect(running.said.left).toEqual([]);
    expect(await running.ended).toEqual([0, null]);
    await running.leavesNothing(clusterFolder);
  });

  test('sandboxes on the bundled PostgreSQL leave nothing behind when their process is killed', async () => {
    await using running = await run('hold');
    const clusterFolder = await running.clusterFolder();
    expect(findProcessesOf(clusterFolder)).not.toEqual([]);
    running.child.kill('SIGKILL');
    await running.ended;
    await running.leavesNothing(clusterFolder);
  });
});
