// The unit of systemd as far as setpriv, bwrap and a seccomp filter imitate it: a server and its commands work as an ordinary
// user who can write to the folders of the unit only.

import { execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, mkdir, open, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { makeScratch } from '../support/embedded/scratch.ts';
import {
  adminKey,
  callPurchaseApi,
  createTestApp,
  databaseEnv,
  emptyDatabase,
  recordTestPurchase,
} from '../support/harness.ts';
import { outputOf } from '../support/process-output.ts';
import { DatabaseProxy } from '../support/store/database-proxy.ts';
import { waitFor } from '../support/wait-for.ts';
import { installed, sandboxing } from './programs.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../', import.meta.url));
const unit = (await readFile(join(root, 'packaging/opentill.service'), 'utf8')).split('\n');

/** The value of a directive. */
function directive(name: string): string {
  const line = unit.find((each) => each.startsWith(`${name}=`));
  if (line === undefined) throw new Error(`The unit has no ${name}.`);
  return line.slice(name.length + 1);
}

/** The arguments of bwrap for a directive. */
const imitations = {
  'ProtectSystem=strict': ['--ro-bind', '/', '/'],
  'ProtectHome=true': ['--tmpfs', '/home', '--tmpfs', '/root'],
  'PrivateTmp=true': ['--tmpfs', '/tmp', '--tmpfs', '/var/tmp'],
  'PrivateDevices=true': ['--dev', '/dev'],
  'ProtectHostname=true': ['--unshare-uts'],
  'CapabilityBoundingSet=': ['--cap-drop', 'ALL'],
} as const;

/** Runs a program as an ordinary user, if the tests run as root. */
const nobody = 65_534;
const isRoot = process.getuid?.() === 0;
const asUser = isRoot ? ['setpriv', `--reuid=${nobody}`, `--regid=${nobody}`, '--clear-groups'] : [];

/** The folders of the unit, and what it makes of them. */
async function makeFolders(parent: string) {
  await chmod(parent, 0o711);
  const folders = { state: join(parent, 'state'), cache: join(parent, 'cache'), run: join(parent, 'run') };
  for (const folder of Object.values(folders)) {
    await mkdir(folder, { mode: 0o700 });
    if (isRoot) await chown(folder, nobody, nobody);
  }
  const placed = (words: string) =>
    words
      .replaceAll('/var/lib/opentill', folders.state)
      .replaceAll('/var/cache/opentill', folders.cache)
      .replaceAll('/run/opentill', folders.run)
      .replaceAll('/opt/opentill/', root);
  const env = Object.fromEntries(
    placed(directive('Environment'))
      .split(' ')
      .map((pair) => pair.split('=') as [string, string]),
  );
  return { folders, env, command: placed(directive('ExecStart')).split(' ') };
}

/** Starts the command of the unit. */
async function startUnit(parent: string, settings: Readonly<Record<string, string>>) {
  const { folders, env, command } = await makeFolders(parent);
  const families = directive('RestrictAddressFamilies').split(' ');
  const filterPath = join(parent, 'filter');
  const filterArgs = [directive('SystemCallFilter'), ...families];
  const script = join(root, 'test/interop/syscall-filter.py');
  const filter = execFileSync('/usr/bin/python3', [script, ...filterArgs]);
  await writeFile(filterPath, filter);
  await using filterFile = await open(filterPath);
  for (const line of Object.keys(imitations)) expect(unit).toContain(line);
  const [program = '', ...args] = [
    ...asUser,
    ...['bwrap', ...Object.values(imitations).flat(), '--ro-bind', root, root],
    ...Object.values(folders).flatMap((folder) => ['--bind', folder, folder]),
    ...['--chdir', folders.state, '--die-with-parent', '--info-fd', '3', '--seccomp', '4'],
    ...command,
  ];
  const running = spawn(program, args, {
    stdio: ['ignore', 'pipe', 'pipe', 'pipe', filterFile.fd],
    env: { PATH: '/usr/bin:/bin', OPENTILL_PORT: '0', OPENTILL_OPERATOR_PORT: '0', ...env, ...settings },
  });
  const ended = once(running, 'close');
  const output = outputOf(running);
  const info = await text(running.stdio[3] as NodeJS.ReadableStream);
  const url = (name: string) => new RegExp(`${name} +(http://[^/]+)/`).exec(output.stdout)?.[1];
  return {
    env,
    command,
    async ready() {
      return await waitFor(
        () => {
          if (running.exitCode !== null) throw new Error(`It ended: ${output.stdout}${output.stderr}`);
          const [publicUrl, operatorUrl] = [url('purchase API'), url('operator API')];
          return publicUrl && operatorUrl ? { publicUrl, operatorUrl } : undefined;
        },
        { what: 'a server that says where it listens' },
      );
    },
    async stop(): Promise<number> {
      process.kill(JSON.parse(info)['child-pid'], 'SIGTERM');
      const [code] = await ended;
      return code;
    },
    async [Symbol.asyncDispose]() {
      running.kill('SIGKILL');
      await ended;
    },
  };
}

test.each(installed([sandboxing]))('the hardened unit runs a server on a database of its own', async () => {
  await using scratch = await makeScratch();
  await using database = await emptyDatabase();
  await using network = await DatabaseProxy.start(database.connection);
  await using server = await startUnit(scratch.path, databaseEnv(network.connection));
  await useStore(await server.ready());
  expect(await server.stop()).toBe(0);
});

test.each(installed([sandboxing]))(
  'the hardened unit runs a server on the bundled PostgreSQL, which commands outside of it find',
  async () => {
    await using scratch = await makeScratch();
    const keys = { OPENTILL_OPERATOR_KEYS: `root:admin:${adminKey}` };
    await using server = await startUnit(scratch.path, keys);
    await useStore(await server.ready());
    const [program = '', ...args] = [...asUser, ...server.command.slice(0, -1), 'database', 'status'];
    const { stdout } = await run(program, args, { env: { ...server.env, PATH: '/usr/bin:/bin' } });
    expect(stdout).toMatch(/^environment +sandbox\n/);
    expect(await server.stop()).toBe(0);
  },
);

async function useStore(server: { readonly publicUrl: string; readonly operatorUrl: string }) {
  const app = await createTestApp(server);
  const { purchaseId } = await recordTestPurchase(server, app);
  const path = `/consume/${purchaseId}/${app.packageName}`;
  expect((await callPurchaseApi(server, { token: app.token, method: 'POST', path })).status).toBe(200);
}
