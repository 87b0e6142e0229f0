// The part of a release that changes the checkout: the versions of the packages, the lock file and the changelog, in a
// commit with a tag.

import { execFile } from 'node:child_process';
import { glob, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

export const root = join(import.meta.dirname, '..');

export interface Manifest {
  readonly name: string;
  version: string;
  readonly dependencies?: Record<string, string>;
  readonly devDependencies?: Record<string, string>;
}

/** A reason not to release, for the person who runs the release: one line that says what to do. */
export class Refusal extends Error {}

const lockFile = 'package-lock.json';
const changelogFile = 'CHANGELOG.md';

const read = (path: string): Promise<string> => readFile(join(root, path), 'utf8');
const writeJson = (path: string, value: unknown): Promise<void> =>
  writeFile(join(root, path), `${JSON.stringify(value, undefined, 2)}\n`);

async function git(...args: string[]): Promise<string> {
  try {
    return (await promisify(execFile)('git', args, { cwd: root })).stdout.trim();
  } catch (error) {
    const [reason = ''] = (error as { readonly stderr: string }).stderr.trim().split('\n', 1);
    throw new Refusal(`git ${args[0]} failed, and nothing is changed: ${reason}`);
  }
}

/** The package.json of each workspace, by its path. */
export async function readManifests(): Promise<Map<string, Manifest>> {
  const paths = (await Array.fromAsync(glob('packages/*/package.json', { cwd: root }))).toSorted();
  return new Map(await Promise.all(paths.map(async (path) => [path, JSON.parse(await read(path))] as const)));
}

/**
 * Whether the version is still to be set, rather than committed already, as in a checkout of its tag.
 *
 * @throws Refusal for a checkout from which the version cannot be released
 */
export async function needsPreparation(version: string): Promise<boolean> {
  if ((await git('status', '--porcelain')) !== '') {
    throw new Refusal('The checkout has uncommitted changes: commit or remove them (git status lists them).');
  }
  const newest = (await read(changelogFile)).split(/^## /m)[1] ?? '';
  const [heading = ''] = newest.split('\n', 1);
  const manifests = [...(await readManifests()).values()];
  if (heading.startsWith(`${version} - `) && manifests.every((manifest) => manifest.version === version))
    return false;
  if (heading !== 'Unreleased' || newest.trim() === heading) {
    throw new Refusal(
      `CHANGELOG.md: expected the changes of ${version} in a section "## Unreleased" at its top, got "## ${heading}".`,
    );
  }
  if ((await git('tag', '--list', `v${version}`)) !== '') {
    throw new Refusal(`The tag v${version} exists: check it out to publish it, or choose another version.`);
  }
  return true;
}

/** Sets the version everywhere, closes the section of the changelog, and commits and tags both. */
async function prepare(version: string): Promise<void> {
  const manifests = await readManifests();
  const names = new Set([...manifests.values()].map(({ name }) => name));
  const lock = JSON.parse(await read(lockFile)) as { readonly packages: Record<string, Manifest> };
  for (const [path, manifest] of manifests) {
    const locked = lock.packages[path.replace('/package.json', '')];
    for (const entry of locked === undefined ? [manifest] : [manifest, locked]) {
      entry.version = version;
      for (const dependencies of [entry.dependencies ?? {}, entry.devDependencies ?? {}]) {
        for (const name of Object.keys(dependencies)) if (names.has(name)) dependencies[name] = version;
      }
    }
    await writeJson(path, manifest);
  }
  await writeJson(lockFile, lock);
  const date = new Date().toISOString().slice(0, 'yyyy-mm-dd'.length);
  const changelog = await read(changelogFile);
  await writeFile(join(root, changelogFile), changelog.replace('## Unreleased', `## ${version} - ${date}`));
  await git('commit', '--quiet', '--message', `Release ${version}`, '--', ...(await changedFiles()));
  await git('tag', `v${version}`);
}

const changedFiles = async () => [...(await readManifests()).keys(), lockFile, changelogFile];

/** Prepares the version, and undoes that if `publish` fails. */
export async function withPrepared(version: string, publish?: () => Promise<void>): Promise<void> {
  const before = await git('rev-parse', 'HEAD');
  try {
    await prepare(version);
    await publish?.();
  } catch (error) {
    await git('tag', '--delete', `v${version}`).catch(() => undefined);
    await git('reset', '--quiet', '--soft', before);
    await git('checkout', '--quiet', before, '--', ...(await changedFiles()));
    throw error;
  }
}
