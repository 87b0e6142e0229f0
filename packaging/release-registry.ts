// The part of a release that calls a registry, through npm and with the credentials of its settings.

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { PackedFile } from './pack-workspaces.ts';
import { Refusal } from './refusal.ts';
import { type Manifest, root } from './release-checkout.ts';

/** What npm prints with --json if a command fails. */
interface NpmFailure {
  readonly code: string;
  readonly summary: string;
}

/** The registry as arguments of npm: the scope may have another one in the user's settings. */
const at = (registry: string): string[] => [
  '--json',
  '--registry',
  registry,
  `--@opentill:registry=${registry}`,
];

/** Returns what npm prints, or how it failed. */
async function npm(...args: string[]): Promise<string | NpmFailure> {
  try {
    return (await promisify(execFile)('npm', args, { cwd: root })).stdout.trim();
  } catch (error) {
    const { stdout, stderr } = error as { readonly stdout: string; readonly stderr: string };
    const start = stdout.search(/^\{$/m);
    if (start < 0) return { code: 'npm failed', summary: stderr.trim().split('\n').at(-1) ?? '' };
    return (JSON.parse(stdout.slice(start)) as { readonly error: NpmFailure }).error;
  }
}

const reasonOf = ({ code, summary }: NpmFailure): string => `${code}, ${summary.split('\n')[0]?.trim()}`;

export type Integrities = ReadonlyMap<string, string>;

/** The packages of the version that the registry already has, with their integrity. */
export async function readPublished(
  names: readonly string[],
  version: string,
  registry: string,
): Promise<Integrities> {
  const found = await Promise.all(
    names.map(async (name) => {
      const said = await npm(
        'view',
        `${name}@${version}`,
        'dist.integrity',
        '--fetch-retries=0',
        ...at(registry),
      );
      if (typeof said === 'string')
        return [name, said === '' ? undefined : (JSON.parse(said) as string)] as const;
      if (said.code === 'E404') return [name, undefined] as const;
      throw new Refusal(
        `Cannot read ${name} from ${registry}: ${reasonOf(said)}. Check the address and your access.`,
      );
    }),
  );
  const published = new Map(
    found.filter((entry): entry is readonly [string, string] => entry[1] !== undefined),
  );
  if (published.size === names.length) {
    throw new Refusal(`${version} is already published to ${registry}: choose another version.`);
  }
  return published;
}

/** Sorts packages so that each comes after those that it needs. */
function inDependencyOrder(manifests: readonly Manifest[]): Manifest[] {
  const sorted = new Set<Manifest>();
  const add = (manifest: Manifest): void => {
    for (const needed of manifests) {
      if (needed.name in (manifest.dependencies ?? {})) add(needed);
    }
    sorted.add(manifest);
  };
  manifests.forEach(add);
  return [...sorted];
}

interface Publication {
  readonly manifests: readonly Manifest[];
  readonly packed: readonly PackedFile[];
  readonly published: Integrities;
  readonly folder: string;
  readonly version: string;
  readonly registry: string;
}

/** Publishes the packages that the registry does not have yet: an earlier run may have been rejected half way. */
export async function publish({
  manifests,
  packed,
  published,
  folder,
  version,
  registry,
}: Publication): Promise<void> {
  const files = new Map(packed.map((file) => [file.name, file]));
  const differs = [...published].find(([name, integrity]) => files.get(name)?.integrity !== integrity);
  if (differs !== undefined) {
    throw new Refusal(
      `${differs[0]} ${version} is already published to ${registry} with other contents: choose another version.`,
    );
  }
  // npm signs the provenance where the CI system issues an identity to it.
  const provenance =
    process.env['ACTIONS_ID_TOKEN_REQUEST_URL'] || process.env['SIGSTORE_ID_TOKEN'] ? ['--provenance'] : [];
  const waiting = inDependencyOrder(manifests).filter(({ name }) => !published.has(name));
  for (const [index, { name }] of waiting.entries()) {
    const file = `${folder}/${files.get(name)?.filename}`;
    const said = await npm('publish', file, '--access', 'public', ...provenance, ...at(registry));
    if (typeof said !== 'string') {
      const login = /^(?:ENEEDAUTH|E401)$/.test(said.code)
        ? `run "npm login --registry ${registry}"`
        : 'fix the cause';
      const rest = index + published.size === 0 ? '' : ', which publishes the remaining packages';
      throw new Refusal(
        `${registry} rejected ${name} ${version} (${reasonOf(said)}): ${login} and run the release again${rest}.`,
      );
    }
    process.stdout.write(`published ${name} ${version}\n`);
  }
}
