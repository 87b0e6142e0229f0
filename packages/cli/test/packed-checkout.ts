// The workspaces as users get them: packed from a copy of the checkout, and installed by npm in a separate folder.

import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, link, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { waitFor } from '../../server/test/wait-for.ts';

const run = promisify(execFile);
export const root = fileURLToPath(new URL('../../../', import.meta.url));

/** A first start creates a database, which takes long on a machine that is busy with other tests. */
const readyWithinMs = 50_000;

/** The pinned Node.js and the programs of the checkout. */
const env = { PATH: `${join(root, 'node_modules/.bin')}:${process.env['PATH']}`, HOME: process.env['HOME'] };

/** Copies only the sources, so that packing changes no files that other tests use. */
async function copyCheckout(to: string, workspaces: readonly string[]): Promise<void> {
  await mkdir(join(to, 'node_modules/@opentill'), { recursive: true });
  for (const part of ['package.json', 'tsconfig.json', 'packaging', 'LICENSE']) {
    await cp(join(root, part), join(to, part), { recursive: true });
  }
  for (const workspace of workspaces) {
    const parts = (await readdir(join(root, 'packages', workspace))).filter((part) => part !== 'test');
    for (const part of parts) {
      const path = join('packages', workspace, part);
      await cp(join(root, path), join(to, path), { recursive: true });
    }
    await symlink(join(to, 'packages', workspace), join(to, 'node_modules/@opentill', workspace));
  }
  for (const name of await readdir(join(root, 'node_modules'))) {
    if (name !== '@opentill') await symlink(join(root, 'node_modules', name), join(to, 'node_modules', name));
  }
}

export interface Installed {
  readonly app: string;
  /** The names of the packages, each with its folder. */
  readonly packages: ReadonlyMap<string, string>;
  /** The environment of a shell in the folder: its own Node.js, and npm. */
  readonly env: Readonly<Record<string, string>>;
  /** The same with the Node.js of the machine, which is the oldest available one. */
  readonly machineEnv: Readonly<Record<string, string>>;
}

/** Packs each workspace, installs all of them in a new folder, and removes the copy of the checkout. */
export async function installWorkspaces(folder: string): Promise<Installed> {
  const workspaces = await readdir(join(root, 'packages'));
  const checkout = join(folder, 'checkout');
  await copyCheckout(checkout, workspaces);
  // One after another, because the others cannot import a workspace that is being packed.
  const { stdout } = await run('npm', ['pack', '--workspaces', '--json', '--pack-destination', folder], {
    cwd: checkout,
    env,
  });
  await rm(checkout, { recursive: true });
  const packed = packedFiles(stdout);
  const app = join(folder, 'app');
  await mkdir(app);
  await writeManifest(app, packed);
  // Other packages are in npm's cache since the checkout was installed. Scripts need not run, because the server creates
  // the links that one of them would have created.
  const args = ['install', '--offline', '--ignore-scripts', '--no-audit', '--no-fund'];
  await run('npm', args, { cwd: app, env });
  const packages = new Map([...packed.keys()].map((name) => [name, join(app, 'node_modules', name)]));
  return { app, packages, ...(await ownEnvironments(folder)) };
}

/** The packed files by package name. */
function packedFiles(json: string): Map<string, string> {
  // The output of the packages' scripts precedes it.
  const told = JSON.parse(json.slice(json.search(/^[[{]$/m))) as object;
  const files = Object.values(told) as { readonly name: string; readonly filename: string }[];
  return new Map(files.map(({ name, filename }) => [name, filename]));
}

interface Lock {
  readonly lockfileVersion: number;
  readonly packages: Readonly<Record<string, object>>;
}

/**
 * Writes a package.json with the packed files, and a lock with the other packages of the checkout: npm then installs the
 * versions of the checkout, which are in its cache, and drops those that are not needed.
 */
async function writeManifest(app: string, packed: ReadonlyMap<string, string>): Promise<void> {
  const dependencies = Object.fromEntries([...packed].map(([name, file]) => [name, `file:../${file}`]));
  const manifest = { type: 'module', dependencies };
  const lock = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8')) as Lock;
  const ours = /^(?:|packages\/\w+|node_modules\/(?:@opentill\/\w+|opentill))$/;
  // A version of a package that only one workspace needs is installed inside that workspace.
  const others = Object.entries(lock.packages)
    .filter(([path]) => !ours.test(path))
    .map(([path, entry]) => [path.replace(/^packages\/(\w+)\//, 'node_modules/@opentill/$1/'), entry]);
  const packages = { '': manifest, ...Object.fromEntries(others) };
  await writeFile(join(app, 'package.json'), JSON.stringify(manifest));
  await writeFile(
    join(app, 'package-lock.json'),
    JSON.stringify({ lockfileVersion: lock.lockfileVersion, packages }),
  );
}

/** The pinned Node.js in a separate folder, and nothing else of the checkout. */
async function ownEnvironments(folder: string): Promise<Pick<Installed, 'env' | 'machineEnv'>> {
  const bin = join(folder, 'bin');
  await mkdir(bin);
  const node = join(bin, 'node');
  // A link to another file system fails.
  await link(process.execPath, node).catch(() => cp(process.execPath, node));
  const path = (process.env['PATH'] ?? '').split(delimiter).filter((part) => !part.startsWith(root));
  const HOME = join(folder, 'home');
  return {
    env: { PATH: [bin, ...path].join(delimiter), HOME },
    machineEnv: { PATH: path.join(delimiter), HOME },
  };
}

export interface InstalledServer extends AsyncDisposable {
  readonly publicUrl: string;
  readonly operatorUrl: string;
  /** Sends Ctrl-C; resolves when all processes have closed its output. */
  interrupt(): Promise<void>;
}

/** `npx opentill serve`, on free ports. */
export async function serveInstalled(
  { app, env: own }: Installed,
  settings: Readonly<Record<string, string>>,
): Promise<InstalledServer> {
  const running = spawn('npx', ['--no-install', 'opentill', 'serve', '--port', '0', '--operator-port', '0'], {
    cwd: app,
    env: { ...own, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
    // A process group, so that npx and the server get Ctrl-C, like on a terminal.
    detached: true,
  });
  const said = { text: '' };
  for (const stream of [running.stdout, running.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      said.text += text;
    });
  }
  const ended = once(running, 'close');
  const hasEnded = () => running.exitCode !== null || running.signalCode !== null;
  const signal = (name: NodeJS.Signals) => {
    if (!hasEnded() && running.pid !== undefined) process.kill(-running.pid, name);
  };
  const urls = await waitFor(
    () => {
      if (hasEnded()) throw new Error(`The server ended: ${said.text}`);
      const url = (name: string) => new RegExp(`${name} +(https?://[^/]+)/`).exec(said.text)?.[1];
      const [publicUrl, operatorUrl] = [url('purchase API'), url('operator API')];
      return publicUrl && operatorUrl ? { publicUrl, operatorUrl } : undefined;
    },
    { deadlineMs: readyWithinMs, what: 'a listening server' },
  );
  return {
    ...urls,
    async interrupt() {
      signal('SIGINT');
      await ended;
    },
    async [Symbol.asyncDispose]() {
      signal('SIGKILL');
      await ended;
    },
  };
}
