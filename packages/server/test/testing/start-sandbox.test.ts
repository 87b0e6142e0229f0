// startSandbox: servers for tests, each with its own apps, that leave nothing behind.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { exists } from '../../src/runtime/files.ts';
import { findClusterFolder, findProcessesOf } from '../embedded/scratch.ts';
import { waitFor } from '../wait-for.ts';

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
