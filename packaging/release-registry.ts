// The part of a release that calls a registry, through npm and with the credentials of its settings.

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { PackedFile } from './pack-workspaces.ts';
import { type Manifest, Refusal, root } from './release-checkout.ts';

/** The output of npm with --json if a command fails. */
interface NpmFailure {
  readonly code: string;
  readonly summary: string;
}

/** Returns what npm prints, or how it failed. The scope may have another registry in the user's settings. */
async function npm(registry: string, ...args: string[]): Promise<string | NpmFailure> {
  const at = ['--json', '--registry', registry, `--@opentill:registry=${registry}`];
  try {
    return (await promisify(execFile)('npm', [...args, ...at], { cwd: root })).stdout.trim();
  } catch (error) {
    const { stdout, stderr } = error as { readonly stdout: string; readonly stderr: string };
    const start = stdout.search(/^\{$/m);
    if (start < 0) return { code: 'npm failed', summary: stderr.trim().split('\n').at(-1) ?? '' };
    return (JSON.parse(stdout.slice(start)) as { readonly error: NpmFailure }).error;
  }
}

const reasonOf = ({ code, summary }: NpmFailure): string => `${code}, ${summary.split('\n')[0]?.trim()}`;

/** The integrity of the packages of the version that the registry already has, by name. */
export async function readPublished(
  names: readonly string[],
  version: string,
  registry: string,
): Promise<ReadonlyMap<string, string>> {
  const published = new Map<string, string>();
  const read = async (name: string): Promise<void> => {
    const said = await npm(registry, 'view', `${name}@${version}`, 'dist.integrity', '--fetch-retries=0');
    if (typeof said === 'string') {
      if (said !== '') published.set(name, JSON.parse(said) as string);
    } else if (said.code !== 'E404') {
      throw new Refusal(
        `Cannot read ${name} from ${registry}: ${reasonOf(said)}. Check the address and your access.`,
      );
    }
  };
  await Promise.all(names.map(read));
  if (published.size < names.length) return published;
  throw new Refusal(`${version} is already published to ${registry}: choose another version.`);
}

/** Sorts packages so that each comes after those that it needs. */
function inDependencyOrder(manifests: readonly Manifest[]): Manifest[] {
  const sorted = new Set<Manifest>();
  const add = (manifest: Manifest): void => {
    manifests.filter(({ name }) => name in (manifest.dependencies ?? {})).forEach(add);
    sorted.add(manifest);
  };
  manifests.forEach(add);
  return [...sorted];
}

interface Publication {
  readonly manifests: readonly Manifest[];
  readonly packed: readonly PackedFile[];
  readonly published: ReadonlyMap<string, string>;
  readonly folder: string;
  readonly version: string;
  readonly registry: string;
}

/** Publishes the packages that the registry does not have yet: an earlier run may have been rejected half way. */
export async function publish({ published, version, registry, ...local }: Publication): Promise<void> {
  const files = new Map(local.packed.map((file) => [file.name, file]));
  const differs = [...published].find(([name, integrity]) => files.get(name)?.integrity !== integrity);
  if (differs !== undefined) {
    throw new Refusal(
      `${differs[0]} ${version} is already published to ${registry} with other contents: choose another version.`,
    );
  }
  // npm signs the provenance where GitHub issues an identity to it.
  const provenance = process.env['ACTIONS_ID_TOKEN_REQUEST_URL'] ? ['--provenance'] : [];
  const waiting = inDependencyOrder(local.manifests).filter(({ name }) => !published.has(name));
  for (const [index, { name }] of waiting.entries()) {
    const file = `${local.folder}/${files.get(name)?.filename}`;
    const said = await npm(registry, 'publish', file, '--access', 'public', ...provenance);
    if (typeof said !== 'string') {
      const isLogin = /^(?:ENEEDAUTH|E401)$/.test(said.code);
      const first = isLogin ? `run "npm login --registry ${registry}"` : 'fix the cause';
      const rest = index + published.size === 0 ? '' : ', which publishes the remaining packages';
      throw new Refusal(
        `${registry} rejected ${name} ${version} (${reasonOf(said)}): ${first} and run the release again${rest}.`,
      );
    }
    process.stdout.write(`published ${name} ${version}\n`);
  }
}
