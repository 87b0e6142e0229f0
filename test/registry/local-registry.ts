// A registry on 127.0.0.1 (verdaccio) with temporary storage. It serves packages of others from npm's own registry.

import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '../support/documents/free-port.ts';
import { outputOf } from '../support/process-output.ts';
import { waitFor } from '../support/wait-for.ts';

const run = promisify(execFile);

/** Installs verdaccio; its dependencies are none of the checkout's. */
export async function installRegistry(): Promise<void> {
  await run('npm', ['ci'], { cwd: import.meta.dirname });
}

async function npmSetting(name: string): Promise<string | undefined> {
  const { stdout } = await run('npm', ['config', 'get', name]);
  return /^(?:null|undefined)?$/.test(stdout.trim()) ? undefined : stdout.trim();
}

export interface LocalRegistry extends AsyncDisposable {
  readonly url: string;
  /** A file of npm settings with the registry, and a token that permits what `$all` may do. */
  readonly npmSettings: string;
}

/** @param publishers who may publish the package `opentill`; everybody may publish the others */
export async function startRegistry(
  folder: string,
  publishers: '$all' | '$authenticated',
): Promise<LocalRegistry> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}/`;
  await mkdir(folder, { recursive: true });
  const ours = { access: '$all', publish: '$all' };
  const config = {
    storage: join(folder, 'storage'),
    auth: { htpasswd: { file: join(folder, 'htpasswd') } },
    uplinks: { npm: { url: await npmSetting('registry'), maxage: '1h' } },
    packages: {
      '@opentill/*': ours,
      opentill: { ...ours, publish: publishers },
      '**': { access: '$all', proxy: 'npm' },
    },
    max_body_size: '100mb',
    log: { type: 'stdout', format: 'json', level: 'warn' },
  };
  // YAML contains JSON.
  await writeFile(join(folder, 'config.yaml'), JSON.stringify(config));
  const npmSettings = join(folder, 'npmrc');
  await writeFile(npmSettings, `registry=${url}\n//127.0.0.1:${port}/:_authToken=nobody\nyes=true\n`);
  const program = join(import.meta.dirname, 'node_modules/verdaccio/bin/verdaccio');
  const args = [program, '--config', join(folder, 'config.yaml'), '--listen', `127.0.0.1:${port}`];
  const cafile = await npmSetting('cafile');
  const server = spawn(process.execPath, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...(cafile !== undefined && { NODE_EXTRA_CA_CERTS: cafile }) },
  });
  const ended = once(server, 'close');
  const output = outputOf(server);
  const isUp = async () => {
    if (server.exitCode !== null) throw new Error(`The registry ended: ${output.stdout}${output.stderr}`);
    return await fetch(`${url}-/ping`).then(
      ({ ok }) => ok,
      () => false,
    );
  };
  await waitFor(isUp, { what: 'a registry' });
  return {
    url,
    npmSettings,
    async [Symbol.asyncDispose]() {
      server.kill();
      await ended;
    },
  };
}
