// What a release refuses or undoes, in a clone of the checkout.

import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { listenOnLoopback } from './support/loopback.ts';

const changelog =
  '# Changelog\n\n## Unreleased\n\n### Added\n\n- A change.\n\n## 0.0.1 - 2026-01-01\n\n- The first.\n';

const env = {
  PATH: process.env['PATH'],
  HOME: process.env['HOME'],
  ...{ GIT_AUTHOR_NAME: 'A', GIT_AUTHOR_EMAIL: 'a@b.example' },
  ...{ GIT_COMMITTER_NAME: 'A', GIT_COMMITTER_EMAIL: 'a@b.example' },
};

const folder = await mkdtemp(join(tmpdir(), 'opentill-release-test-'));
const checkout = join(folder, 'checkout');

/** A clone with the scripts of the working copy, and a changelog of its own. */
beforeAll(async () => {
  await mkdir(checkout);
  await run('git', 'clone', '--quiet', '--shared', '--no-tags', process.cwd(), '.');
  await cp('packaging', join(checkout, 'packaging'), { recursive: true });
  await writeFile(join(checkout, 'CHANGELOG.md'), changelog);
  await commit();
  await run('git', 'branch', 'start');
});
afterEach(async () => {
  await run('git', 'reset', '--quiet', '--hard', 'start');
  await run('git', 'clean', '--quiet', '-dx', '--force');
  await run('git', 'tag', '--delete', 'v0.2.0');
});
afterAll(() => rm(folder, { recursive: true }));

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

function run(file: string, ...args: string[]): Promise<Ended> {
  return new Promise((resolve) => {
    execFile(file, args, { cwd: checkout, env }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
    );
  });
}

const release = (line: string) => run(process.execPath, 'packaging/release.cjs', ...line.split(' '));
const read = (path: string) => readFile(join(checkout, path), 'utf8');

async function commit(): Promise<void> {
  await run('git', 'add', '--all');
  await run('git', 'commit', '--quiet', '--allow-empty', '--message', 'A change');
}

/** Everything that a release could leave behind. */
async function state(): Promise<string> {
  const parts = [['log', '-1', '--format=%H'], ['tag'], ['status', '--short', '--ignored']];
  return (await Promise.all(parts.map((args) => run('git', ...args)))).map(({ stdout }) => stdout).join();
}

/** Runs a release that has to end with one line, and to leave everything as it is. */
async function refusal(line: string): Promise<string> {
  const before = await state();
  const { code, stdout, stderr } = await release(line);
  expect([code, stdout]).toEqual([1, '']);
  expect(await state()).toBe(before);
  expect(stderr).toMatch(/^[^\n]+\n$/);
  return stderr.trim();
}

describe('a release that cannot begin', () => {
  test('a checkout with uncommitted changes is refused', async () => {
    await writeFile(join(checkout, 'new.txt'), '');
    expect(await refusal('0.2.0 --prepare')).toMatch(/^The checkout has uncommitted changes: commit/);
  });

  test('a changelog without changes of the version is refused', async () => {
    const missing = changelog.replace(/## Unreleased[\s\S]*(?=## 0)/, '');
    for (const text of [missing, '## Unreleased\n\n## 0.0.1 - 2026-01-01\n']) {
      await writeFile(join(checkout, 'CHANGELOG.md'), text);
      await commit();
      expect(await refusal('0.2.0 --prepare')).toMatch(/^CHANGELOG\.md: expected the changes of 0\.2\.0/);
    }
  });
});

test('a release whose packing fails undoes its commit and its tag', async () => {
  // As far as the release can see, `npm ci` has run.
  await mkdir(join(checkout, 'node_modules'));
  await writeFile(join(checkout, 'node_modules/.package-lock.json'), '{}');
  const empty = createServer((_, response) => response.writeHead(404).end('{"error":"no"}'));
  await using registry = await listenOnLoopback(empty);
  const before = await state();
  const { code, stderr } = await release(`0.2.0 --registry http://127.0.0.1:${registry.port}/`);
  expect(code).toBe(1);
  expect(stderr).toMatch(/npm pack failed, and the checkout is as before: its messages are above\.\n$/);
  expect(await state()).toBe(before);
});

test('a preparation sets the version of all packages, closes the changelog, commits and tags', async () => {
  expect((await release('7.8.9 --prepare')).stdout).toMatch(
    /^7\.8\.9 is committed and tagged: push both with "git push/,
  );
  const lock = JSON.parse(await read('package-lock.json'));
  for (const name of ['cli', 'client', 'conformance', 'console', 'contract', 'server']) {
    const manifest = JSON.parse(await read(`packages/${name}/package.json`));
    const locked = lock.packages[`packages/${name}`];
    for (const { version, dependencies = {}, devDependencies = {} } of [manifest, locked]) {
      const ours = Object.entries({ ...dependencies, ...devDependencies }).filter(([key]) =>
        key.includes('opentill'),
      );
      expect([version, ...ours.map(([, needed]) => needed)], name).toEqual(
        Array(ours.length + 1).fill('7.8.9'),
      );
    }
  }
  const date = new Date().toISOString().slice(0, 10);
  expect(await read('CHANGELOG.md')).toBe(changelog.replace('Unreleased', `7.8.9 - ${date}`));
  const { stdout } = await run('git', 'log', '-1', '--format=%s %D');
  expect(stdout).toMatch(/^Release 7\.8\.9 HEAD.*tag: v7\.8\.9/);
  expect((await run('git', 'diff', '--stat', 'HEAD~1')).stdout).toMatch(/ 8 files changed/);
  expect(await refusal('7.8.9 --prepare')).toMatch(
    /^7\.8\.9 is prepared already: push it with its tag, or publish it\.$/,
  );
});
