// opentill exec: a command with a sandbox of its own, of which nothing is left.

import type { ChildProcess } from 'node:child_process';
import { mkdtemp, readdir, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PurchaseClient } from '@opentill/client';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { builtProgram, builtProgramEnv } from '../../../test/support/built-programs.ts';
import { findProcessesOf, makeScratch, requireWatcher } from '../../../test/support/embedded/scratch.ts';
import { adminKey } from '../../../test/support/harness.ts';
import { outputOf } from '../../../test/support/process-output.ts';
import { startOpentill } from '../../../test/support/start/opentill-process.ts';
import { opentill } from '../../../test/support/start/program-process.ts';
import { appLine, exportText, header, productLine } from '../../../test/support/transfer/lines.ts';
import { waitFor } from '../../../test/support/wait-for.ts';
import { findDataFolder } from '../../server/src/embedded/data-folder.ts';
import { exists } from '../../server/src/runtime/files.ts';

/** The folder for temporary files, which has those of the sandboxes and no others. */
let temporary: string;
beforeEach(async () => {
  temporary = await realpath(await mkdtemp(join(tmpdir(), 'oe-')));
});
afterEach(() => rm(temporary, { recursive: true, maxRetries: 5 }));

const exec = (args: readonly string[], during?: (running: ChildProcess) => void) =>
  opentill(['exec', ...args], { env: { TMPDIR: temporary }, ...(during && { during }) });

/** A sandbox with a command that has printed a line, and runs until its input ends or a signal ends it. */
async function startExec(...command: readonly string[]) {
  const started = Promise.withResolvers<ChildProcess>();
  const ended = exec(['--', ...command], started.resolve);
  const running = await started.promise;
  const output = outputOf(running);
  const line = await waitFor(
    () => {
      if (running.exitCode !== null) throw new Error(`It ended: ${output.stderr}`);
      return /^(.*)\n/.exec(output.stdout)?.[1];
    },
    { what: 'a command that prints a line' },
  );
  const [name = ''] = await readdir(temporary).then((names) => names.filter((each) => /sandbox/.test(each)));
  return { running, ended, line, data: await findDataFolder(join(temporary, name)) };
}

const hasEnded = ({ clusterFolder }: { readonly clusterFolder: string }) =>
  findProcessesOf(clusterFolder).length === 0;

async function expectNothing({ base, clusterFolder }: Awaited<ReturnType<typeof startExec>>['data']) {
  expect(findProcessesOf(clusterFolder)).toEqual([]);
  expect([await readdir(temporary), await exists(base)]).toEqual([[], false]);
}

test('the command finds the sandbox and an app in its environment, and exec ends with its code', async () => {
  const print =
    'console.log(JSON.stringify(process.env)); process.stdin.resume().on("end", () => process.exit(3))';
  const { running, ended, line, data } = await startExec(process.execPath, '-e', print);
  const env = JSON.parse(line) as Record<string, string>;
  const { STORE_URL = '', CLIENT_ID = '', CLIENT_SECRET = '', PACKAGE_NAME = '' } = env;
  const app = { clientId: CLIENT_ID, clientSecret: CLIENT_SECRET, packageName: PACKAGE_NAME };
  const client = new PurchaseClient({ host: STORE_URL, ...app });
  expect(await client.getVoidedPurchases({})).toMatchObject({ voidedPurchaseList: [] });
  const listed = await opentill(['app', 'list', '--json'], { env });
  expect(JSON.parse(listed.stdout)).toMatchObject([{ packageName: PACKAGE_NAME }]);
  // The command has the credentials of the store and of an app, and acts for the store.
  const put = 'product put coins --type oneTime --price 5 --currency EUR'.split(' ');
  const stored = await opentill([...put.toSpliced(2, 0, PACKAGE_NAME), '--json'], { env });
  expect(JSON.parse(stored.stdout)).toMatchObject({ productId: 'coins' });
  running.stdin?.end();
  expect(await ended).toMatchObject({ code: 3, stderr: '' });
  await expectNothing(data);
});

test('the command gets no setting of an outer server, but DATABASE_URL, and no command in it opens a database', async () => {
  const outer = {
    OPENTILL_DATA_DIR: '/outer',
    OPENTILL_OPERATOR_KEYS_FILE: '/outer/keys',
    OPENTILL_CA: '/outer/ca.pem',
    OPENTILL_OWN: 'of the tests',
    DATABASE_URL: 'postgresql://backend@127.0.0.1:1/backend',
  };
  const run = (...command: readonly string[]) =>
    opentill(['exec', '--', ...command], { env: { ...outer, TMPDIR: temporary } });
  const { stdout } = await run(process.execPath, '-p', 'JSON.stringify(process.env)');
  const { OPENTILL_OPERATOR_URL, OPENTILL_OPERATOR_KEY, OPENTILL_EXEC, ...env } = JSON.parse(stdout);
  const kept = Object.entries(env).filter(([name]) => /^OPENTILL_|^DATABASE_URL/.test(name));
  const { OPENTILL_OWN, DATABASE_URL } = outer;
  expect(Object.fromEntries(kept)).toEqual({ OPENTILL_OWN, DATABASE_URL });
  const commands = ['database status', 'export', 'import', 'serve', 'doctor'];
  const program = `'${process.execPath}' '${builtProgram('cli')}'`;
  const lines = commands.map(
    (command) => `${program} ${command} 2>&1 | grep -Ev ' Node.js |console and reference'`,
  );
  const refused = (await run('sh', '-c', lines.join('\n'))).stdout.trimEnd().split('\n');
  const line =
    'Commands that open a database by themselves do not run inside opentill exec, whose sandbox is reached by the operator API alone: run them outside.';
  expect(refused).toEqual([...Array(4).fill(line), `failed  settings  ${line}`]);
});

test('neither exec nor a command in it sends calls to its sandbox through a proxy of the environment', async () => {
  const listing = [process.execPath, builtProgram('cli'), 'app', 'list', '--json'];
  const env = { TMPDIR: temporary, NODE_USE_ENV_PROXY: '1', HTTP_PROXY: 'http://127.0.0.1:9' };
  const listed = await opentill(['exec', '--', ...listing], { env });
  expect([listed.code, listed.stderr]).toEqual([0, '']);
  expect(JSON.parse(listed.stdout)).toHaveLength(1);
});

test('SIGHUP ends the command, and exec with 128 and its number', async () => {
  const { running, ended, data } = await startExec('sh', '-c', 'echo ready; read line');
  running.kill('SIGHUP');
  expect((await ended).code).toBe(129);
  await expectNothing(data);
});

test('SIGTERM of npm, which ends its shell only, ends the command', async () => {
  const command = `exec -- sh -c 'echo ready; sleep 600'`;
  await using shell = startOpentill({
    node: '/bin/sh',
    program: '-c',
    args: [`'${process.execPath}' '${builtProgram('cli')}' ${command}; exit`],
    env: { ...builtProgramEnv(), TMPDIR: temporary, npm_lifecycle_event: 'npx' },
  });
  await waitFor(() => shell.output.stdout === 'ready\n', { what: 'a command that prints a line' });
  shell.signal('SIGTERM');
  await shell.ended();
  expect(await readdir(temporary)).toEqual([]);
});

test('a command that ignores SIGTERM is killed together with its children', async () => {
  const ignore = 'trap "" TERM; sleep 600 & echo $!; wait';
  const { running, ended, line, data } = await startExec('sh', '-c', ignore);
  running.kill('SIGTERM');
  expect((await ended).code).toBe(137);
  await waitFor(() => !findProcessesOf('sleep 600').includes(Number(line)), { what: 'the end of its child' });
  await expectNothing(data);
});

test('the database ends with a killed exec, and the next one removes what a killed watcher left', async () => {
  const killed = await startExec('sh', '-c', 'echo ready; read line');
  killed.running.kill('SIGKILL');
  killed.running.stdin?.end();
  await killed.ended;
  await waitFor(() => hasEnded(killed.data), { what: 'the end of the database' });
  await expectNothing(killed.data);

  const left = await startExec('sh', '-c', 'echo ready; read line');
  process.kill(requireWatcher(left.data.clusterFolder), 'SIGKILL');
  left.running.kill('SIGKILL');
  left.running.stdin?.end();
  await left.ended;
  expect(hasEnded(left.data)).toBe(false);
  expect(await exec(['--', 'true'])).toEqual({ code: 0, stdout: '', stderr: '' });
  await waitFor(() => hasEnded(left.data), { what: 'the end of its database' });
  await expectNothing(left.data);
});

test('a seed is imported by exec, and by serve into an empty store', async () => {
  await using scratch = await makeScratch();
  const seed = join(scratch.path, 'seed.ndjson');
  await writeFile(seed, exportText([appLine('com.example.a', 1), productLine('com.example.a', 'coins')]));
  const list = [builtProgram('cli'), 'product', 'list', 'com.example.a', '--json'];
  const listed = await exec(['--seed', seed, '--', process.execPath, ...list]);
  expect([listed.code, listed.stderr]).toEqual([0, '']);
  expect(JSON.parse(listed.stdout)).toMatchObject([{ productId: 'coins' }]);
  const show = await exec(['--seed', seed, 'sh', '-c', 'echo $PACKAGE_NAME']);
  expect(show).toEqual({ code: 0, stdout: 'com.example.a\n', stderr: '' });

  const env = { OPENTILL_DATA_DIR: scratch.dataFolder, OPENTILL_OPERATOR_KEYS: `a:admin:${adminKey}` };
  const serve = () => startOpentill({ program: builtProgram('cli'), args: ['serve', '--seed', seed], env });
  const readProducts = async () => {
    await using server = serve();
    const { operatorUrl } = await server.ready();
    const own = { OPENTILL_OPERATOR_URL: operatorUrl, OPENTILL_OPERATOR_KEY: adminKey };
    const products = await opentill(list.slice(1), { env: own });
    server.signal('SIGTERM');
    await server.ended();
    return JSON.parse(products.stdout);
  };
  for (const _ of ['imported', 'kept']) expect(await readProducts()).toMatchObject([{ productId: 'coins' }]);
});

test('a seed of production, and a seed or a command that does not exist, is reported in one line, and nothing is left', async () => {
  await using scratch = await makeScratch();
  const production = join(scratch.path, 'production.ndjson');
  await writeFile(production, exportText([], { ...header, environment: 'production' }));
  const other = await exec(['--seed', production, '--', 'true']);
  expect([other.code, other.stderr]).toEqual([
    1,
    'Expected an export of the sandbox environment, got one of production: a seed comes from a sandbox.\n',
  ]);
  const seed = await exec(['--seed', '/none', '--', 'true']);
  expect([seed.code, seed.stderr]).toEqual([1, expect.stringMatching(/^The file cannot be read: .*\n$/)]);
  const command = await exec(['--', '/none']);
  const problem = 'cannot run /none: no such file or directory (ENOENT)\n';
  expect([command.code, command.stderr]).toEqual([1, problem]);
  expect(await readdir(temporary)).toEqual([]);
});

test('a TMPDIR that cannot be used is reported in one line', async () => {
  const file = join(temporary, 'file');
  await writeFile(file, '');
  const { code, stderr } = await opentill(['exec', '--', 'true'], { env: { TMPDIR: file } });
  expect(code).toBe(1);
  expect(stderr).toMatch(/^[^\n]*TMPDIR[^\n]*\n$/);
  expect(stderr).toContain(file);
});
