// The packages as the image contains them: packed from the files that .dockerignore admits, and installed by npm in a
// separate folder.

import { once } from 'node:events';
import { cp, glob, link, mkdir, rm } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inBackground } from '../../../test/registry/surroundings.ts';
import { waitFor } from '../../../test/support/wait-for.ts';
import { followDockerfile, type Stage } from './dockerfile-build.ts';

export const root = fileURLToPath(new URL('../../../', import.meta.url));

/** In the order of their names. */
export const packages = [
  '@opentill/client',
  '@opentill/conformance',
  '@opentill/console',
  '@opentill/contract',
  '@opentill/server',
  'opentill',
];

type Env = Readonly<Record<string, string>>;

export interface Installed {
  /** The last stage of the Dockerfile. */
  readonly image: Stage;
  /** Contains package.json and node_modules. */
  readonly app: string;
  /** The environment of a shell in the folder: its own Node.js, and npm. */
  readonly env: Env;
  /** The same with the Node.js of the machine, which is the oldest available one. */
  readonly machineEnv: Env;
  /** What the checkout has built after it has packed. */
  readonly builtInCheckout: readonly string[];
}

/** Follows the Dockerfile, and removes the stage in which it packed. */
export async function installImage(folder: string): Promise<Installed> {
  const { env, machineEnv } = await ownEnvironments(folder);
  // Usually npm's cache has all that is installed, since the checkout was installed.
  const installing = { ...process.env, PATH: env['PATH'], npm_config_prefer_offline: 'true' };
  const image = await followDockerfile(root, { to: folder, env: installing });
  const checkout = join(folder, 'checkout');
  const builtInCheckout = await Array.fromAsync(glob('**/packages/*/dist', { cwd: checkout }));
  await rm(checkout, { recursive: true });
  return { image, app: image.workdir, env, machineEnv, builtInCheckout };
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
  /** Sends Ctrl-C; resolves to the exit code when all processes have closed its output. */
  interrupt(): Promise<number | null>;
}

/** Starts a server in the folder of the packages. */
export async function serveInstalled(
  { app }: Installed,
  { command, env }: { readonly command: readonly string[]; readonly env: Env },
): Promise<InstalledServer> {
  const server = inBackground(command, app, env);
  const { process: running, output } = server;
  const ended = once(running, 'close').then(([code]) => code as number | null);
  const urls = await waitFor(
    () => {
      if (running.exitCode !== null) throw new Error(`The server ended: ${output.stderr}`);
      const url = (name: string) => new RegExp(`${name} +(https?://[^/]+)/`).exec(output.stdout)?.[1];
      const [publicUrl, operatorUrl] = [url('purchase API'), url('operator API')];
      return publicUrl && operatorUrl ? { publicUrl, operatorUrl } : undefined;
    },
    { what: 'a listening server' },
  );
  return {
    ...urls,
    interrupt() {
      // npx and the server both get it, as on a terminal.
      process.kill(-(running.pid ?? 0), 'SIGINT');
      return ended;
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}
