// npm run release -- <version> --registry <url>: publishes all packages, after a commit that sets the version unless it
// is set; with --prepare instead of a registry, only commits and tags (docs/decisions/packages.md).

import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { packWorkspaces } from './pack-workspaces.ts';
import { needsPreparation, Refusal, readManifests, root, withPrepared } from './release-checkout.ts';
import { publish, readPublished } from './release-registry.ts';

const usage =
  'expected "npm run release -- <version> --registry <url>", or --prepare instead of the registry';

/** Without a registry, the release is only prepared. */
function readArguments(): { readonly version: string; readonly registry: string | undefined } {
  const options = { registry: { type: 'string' }, prepare: { type: 'boolean' } } as const;
  const { values, positionals } = parseArgs({ allowPositionals: true, strict: false, options });
  const { registry, prepare } = values;
  const [version = '', ...more] = positionals;
  const unknown = [...more, ...Object.keys(values).filter((name) => !(name in options))];
  if (unknown.length > 0) throw new Refusal(`Unknown argument ${unknown[0]}: ${usage}.`);
  if (!/^(?:0|[1-9]\d*)(?:\.(?:0|[1-9]\d*)){2}$/.test(version)) {
    throw new Refusal(`The version: expected one such as 0.2.0, got "${version}"; ${usage}.`);
  }
  if (prepare === true && registry === undefined) return { version, registry };
  if (prepare === true || typeof registry !== 'string') throw new Refusal(`No registry is named: ${usage}.`);
  if (!/^https?:\/\/\w/.test(registry) || !URL.canParse(registry)) {
    throw new Refusal(`--registry: expected a URL such as https://registry.example, got "${registry}".`);
  }
  return { version, registry };
}

/** Checks first what can be checked without a change. */
async function release(): Promise<void> {
  const { version, registry } = readArguments();
  if (registry !== undefined && !existsSync(join(root, 'node_modules/.package-lock.json'))) {
    throw new Refusal('The checkout is not installed: run "npm ci" first.');
  }
  const isToBePrepared = await needsPreparation(version);
  const publishAll = registry === undefined ? undefined : await publication(version, registry);
  if (isToBePrepared) {
    await withPrepared(version, publishAll);
    const next = `push both with "git push origin HEAD v${version}"`;
    process.stdout.write(`${version} is committed and tagged: ${next}\n`);
  } else if (publishAll === undefined) {
    throw new Refusal(`${version} is prepared already: push it with its tag, or publish it.`);
  } else await publishAll();
}

async function publication(version: string, registry: string): Promise<() => Promise<void>> {
  const manifests = [...(await readManifests()).values()];
  const names = manifests.map(({ name }) => name);
  const published = await readPublished(names, version, registry);
  return async () => {
    const folder = await mkdtemp(join(tmpdir(), 'opentill-release-'));
    try {
      const packed = await packWorkspaces(root, folder).catch((error: { readonly stderr?: string }) => {
        process.stderr.write(error.stderr ?? '');
        throw new Refusal('npm pack failed, and the checkout is as before: its messages are above.');
      });
      await publish({ manifests, packed, published, folder, version, registry });
    } finally {
      await rm(folder, { recursive: true });
    }
  };
}

// Ctrl-C ends the running npm, and its failure undoes what the release has changed.
process.on('SIGINT', () => undefined);
try {
  await release();
} catch (error) {
  if (!(error instanceof Refusal)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
