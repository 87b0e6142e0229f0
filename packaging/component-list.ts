// The list of what a release ships of others, in CycloneDX, and the checksums of its files.

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The part of CycloneDX 1.5 that is used here. */
export interface Component {
  readonly type: string;
  readonly name: string;
  readonly version: string;
  readonly purl: string;
  readonly licenses: readonly { readonly license: { readonly id: string } }[];
  /** npm fills in where a packed file is on this machine. */
  externalReferences?: readonly object[];
  /** What it contains. */
  components?: readonly Component[];
}

interface ComponentList {
  /** It would differ in each run. */
  serialNumber?: string;
  readonly metadata: { timestamp?: string; readonly component: { name: string } };
  readonly components: readonly Component[];
}

export const componentFile = 'components.cdx.json';
export const checksumFile = 'SHA256SUMS';

function library(name: string, version: string, id: string): Component {
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`;
  return { type: 'library', name, version, purl, licenses: [{ license: { id } }] };
}

/** The libraries in the bundle of the console, which Vite lists with their licenses, and the program of the reference. */
async function bundledIn(checkout: string): Promise<readonly Component[]> {
  const licenses = await readFile(join(checkout, 'packages/console/dist/licenses.md'), 'utf8');
  const listed = [...licenses.matchAll(/^## (\S+) - (\S+) \((.+)\)$/gm)].map(
    ([, name = '', version = '', id = '']) => library(name, version, id),
  );
  const scalar = join(checkout, 'node_modules/@scalar/fastify-api-reference/package.json');
  const { name, version, license } = JSON.parse(await readFile(scalar, 'utf8'));
  return [...listed, library(name, version, license)];
}

/** Adds the list to a folder of packed files with their lock file. */
export async function writeComponents(checkout: string, folder: string): Promise<void> {
  const args = ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only'];
  const list: ComponentList = JSON.parse(execFileSync('npm', args, { cwd: folder, encoding: 'utf8' }));
  // npm takes the name of the folder.
  list.metadata.component.name = 'opentill-image';
  delete list.serialNumber;
  delete list.metadata.timestamp;
  const ui = list.components.find(({ name }) => name === '@opentill/console');
  if (ui === undefined) throw new Error('npm sbom does not list @opentill/console.');
  ui.components = await bundledIn(checkout);
  for (const component of list.components) delete component.externalReferences;
  await writeFile(join(folder, componentFile), `${JSON.stringify(list, undefined, 2)}\n`);
}

/** Adds the checksums of these files, as `sha256sum --check` reads them. */
export async function writeChecksums(folder: string, files: readonly string[]): Promise<void> {
  const lines = files.map(async (file) => {
    const hash = createHash('sha256').update(await readFile(join(folder, file)));
    return `${hash.digest('hex')}  ${file}\n`;
  });
  await writeFile(join(folder, checksumFile), (await Promise.all(lines)).join(''));
}
