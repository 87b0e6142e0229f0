// Releases a commit of this checkout into a local registry, from a clone as a maintainer has it.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type LocalRegistry, startRegistry } from './local-registry.ts';
import { type Env, root, runToEnd, succeed, withoutNpm } from './surroundings.ts';

/** Rejects the last package at first: the clone is then as before, and the next release publishes what is missing. */
export async function releaseInto(folder: string): Promise<{ registry: LocalRegistry; version: string }> {
  const checkout = join(folder, 'checkout');
  const author = { GIT_AUTHOR_NAME: 'A', GIT_AUTHOR_EMAIL: 'a@b.example' };
  const committer = { GIT_COMMITTER_NAME: 'A', GIT_COMMITTER_EMAIL: 'a@b.example' };
  const env = { ...withoutNpm(), ...author, ...committer };
  // The version is tagged once it is released.
  await succeed(['git', 'clone', '--quiet', '--no-tags', root, checkout], folder, env);
  await succeed(['npm', 'ci'], checkout, env);
  const { version } = JSON.parse(await readFile(join(checkout, 'packages/cli/package.json'), 'utf8'));
  const shown = 'git log -1; git tag; git status --short --ignored | grep -v node_modules/ || true';
  const state = () => succeed(['bash', '-c', shown], checkout, env);
  const before = await state();
  const release = (registry: LocalRegistry) => {
    const settings: Env = { ...env, npm_config_userconfig: registry.npmSettings };
    return runToEnd(
      ['npm', 'run', '--silent', 'release', '--', version, '--registry', registry.url],
      checkout,
      settings,
    );
  };
  const storage = join(folder, 'registry');
  {
    await using strict = await startRegistry(storage, '$authenticated');
    const { code, stdout, stderr } = await release(strict);
    assert.match(
      stderr,
      /^http:\S+ rejected opentill \S+ \(E40\d, [^\n]*, which publishes the remaining packages\.\n$/,
    );
    assert.equal(code, 1);
    assert.equal(stdout.match(/^published /gm)?.length, 5, stdout);
    assert.equal(await state(), before);
  }
  await using starting = new AsyncDisposableStack();
  const registry = starting.use(await startRegistry(storage, '$all'));
  const rest = await release(registry);
  assert.equal(rest.code, 0, rest.stderr);
  assert.match(rest.stdout, /^published opentill \S+\n(?:\S+ is committed and tagged: .*\n)?$/);
  const again = await release(registry);
  assert.match(again.stderr, /^\S+ is already published to http:\S+: choose another version\.\n$/);
  assert.equal(again.code, 1);
  assert.equal(await succeed(['git', 'status', '--short'], checkout, env), '');
  const files = join(folder, 'files');
  await succeed(['npm', 'run', '--silent', 'pack', '--', files], checkout, env);
  await expectSamePackages(files, registry, version);
  starting.move();
  return { registry, version };
}

interface Lock {
  readonly packages: Readonly<Record<string, { readonly resolved?: string; readonly integrity?: string }>>;
}

interface Published {
  readonly dist: { readonly integrity: string };
}

/** The files that are packed at the tag are those of the registry. */
async function expectSamePackages(files: string, { url }: LocalRegistry, version: string): Promise<void> {
  const { packages }: Lock = JSON.parse(await readFile(join(files, 'package-lock.json'), 'utf8'));
  const ours = Object.entries(packages).filter(([, { resolved }]) => resolved?.startsWith('file:'));
  assert.equal(ours.length, 6);
  for (const [path, { integrity }] of ours) {
    const name = path.replace('node_modules/', '');
    const published = await (await fetch(`${url}${name}/${version}`)).json();
    assert.equal((published as Published).dist.integrity, integrity, name);
  }
}
