// The packages as they are published, and as the image contains them: complete, independent of the checkout, and with
// self-contained types.

import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Component, checksumFile, componentFile } from '../../../packaging/component-list.ts';
import { freePort } from '../../../test/support/documents/free-port.ts';
import { removeDataFolder } from '../../../test/support/embedded/scratch.ts';
import { commandOf } from './dockerfile-build.ts';
import { type Installed, installImage, packages, root, serveInstalled } from './installed-image.ts';

const run = promisify(execFile);
const permissive = ['0BSD', 'Apache-2.0', 'BlueOak-1.0.0', 'BSD-2-Clause', 'BSD-3-Clause', 'ISC', 'MIT'];
const tsc = join(root, 'node_modules/typescript/bin/tsc');

let folder: string;
let installed: Installed;
let app: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'opentill packed '));
  installed = await installImage(folder);
  app = installed.app;
});
afterAll(async () => {
  for (const data of ['data', 'image/data']) await removeDataFolder(join(folder, data));
  await rm(folder, { recursive: true, force: true });
});

async function inApp(name: string, text: string): Promise<string> {
  await writeFile(join(app, name), text);
  return join(app, name);
}

type Env = Readonly<Record<string, string>>;

/** Runs a program in the folder and returns its output, parsed as JSON. */
async function printed(command: string, args: readonly string[], env: Env = {}) {
  const { stdout } = await run(command, args, { cwd: app, env: { ...installed.env, ...env } });
  return JSON.parse(stdout);
}

/** Runs a command line of the installed `opentill`. */
const opentill = (line: string, env: Env) =>
  printed(join(app, 'node_modules/.bin/opentill'), line.split(' '), env);

/** The backend of an app that sells coins, with a test that records the purchase. */
const backend = `import { PurchaseClient } from '@opentill/client';
  import { DeveloperClient } from '@opentill/client/developer';
  const { HOST: host, CREDENTIALS } = process.env;
  const credentials = JSON.parse(CREDENTIALS);
  const sandbox = new DeveloperClient({ host, ...credentials });
  const { purchaseId } = await sandbox.recordPurchase({ productId: 'coins', developerPayload: 'order' });
  const client = new PurchaseClient({ host, environment: 'sandbox', ...credentials });
  const { isValid } = await client.verifyPurchase({ purchaseId, productId: 'coins', developerPayload: 'order' });
  const { outcome } = await client.consumeOnce({ purchaseId });
  const from = import.meta.resolve('@opentill/client');
  console.log(JSON.stringify({ purchaseId, isValid, outcome, from, version: process.version }));`;

describe('the installed packages', () => {
  test('every workspace is installed with its programs', async () => {
    const { dependencies } = JSON.parse(await readFile(join(app, 'package.json'), 'utf8'));
    expect(Object.keys(dependencies).sort()).toEqual(packages);
    const programs = await readdir(join(app, 'node_modules/.bin'));
    const ours = programs.filter((name) => name.startsWith('opentill'));
    expect(ours).toEqual(['opentill', 'opentill-conformance', 'opentill-server']);
  });

  test('packing leaves the built console in the checkout, and nothing else', () => {
    expect(installed.builtInCheckout).toEqual(['opt/opentill/packages/console/dist']);
  });

  test('a server started with npx can be used with the command line, the client and the conformance kit', async () => {
    const data = { OPENTILL_DATA_DIR: join(folder, 'data') };
    const command = 'npx --no-install opentill serve --port 0 --operator-port 0'.split(' ');
    await using server = await serveInstalled(installed, { command, env: { ...installed.env, ...data } });
    const env = { ...data, OPENTILL_OPERATOR_PORT: new URL(server.operatorUrl).port };
    const packageName = 'com.example.game';
    const { clientId, clientSecret } = await opentill(`app create ${packageName} --json`, env);
    const coins = `product put ${packageName} coins --type oneTime --price 499 --currency EUR --json`;
    expect(await opentill(coins, env)).toMatchObject({ productId: 'coins', price: 499 });
    const credentials = JSON.stringify({ packageName, clientId, clientSecret });
    const calling = { HOST: server.publicUrl, CREDENTIALS: credentials };
    const program = await inApp('backend.mjs', backend);
    const said = await printed('node', [program], calling);
    expect(said).toMatchObject({ isValid: true, outcome: 'consumed', version: process.version });
    expect(fileURLToPath(said.from)).toBe(join(app, 'node_modules/@opentill/client/dist/src/index.js'));
    // The client supports older versions of Node.js than the server.
    const older = await printed('node', [program], { ...calling, ...installed.machineEnv });
    expect(older).toMatchObject({ isValid: true, outcome: 'consumed' });
    process.stdout.write(`the client runs on Node.js ${older.version}\n`);
    const shown = await opentill(`purchase show ${packageName} ${said.purchaseId} --json`, env);
    expect(shown).toMatchObject({ consumptionState: 1 });
    const kit = `conformance --host ${server.publicUrl} --client-id ${clientId} --only token-01 --json`;
    const report = await opentill(kit, { ...env, CONFORMANCE_CLIENT_SECRET: clientSecret });
    expect(report.counts).toEqual({ pass: 1, fail: 0, inconclusive: 0 });
    expect(await (await fetch(`${server.operatorUrl}/console/`)).text()).toContain('/console/assets/index-');
    await server.interrupt();
  });

  test('the packages contain their license, and no sources, tests or references to the checkout', async () => {
    for (const name of packages) {
      const own = join(app, 'node_modules', name);
      const files = (await readdir(own, { recursive: true, withFileTypes: true })).filter(
        (file) => file.isFile() && !/\/node_modules\//.test(file.parentPath.slice(own.length)),
      );
      expect(files.length).toBeGreaterThan(name === '@opentill/console' ? 5 : 15);
      const paths = files.map((file) => join(file.parentPath, file.name));
      expect(paths).toContain(join(own, 'LICENSE'));
      expect(paths.filter((path) => /(?<!\.d)\.ts$|\.test\.|tsconfig/.test(path))).toEqual([]);
      for (const path of paths) expect(await readFile(path, 'utf8')).not.toContain(root);
      const manifest = JSON.parse(await readFile(join(own, 'package.json'), 'utf8'));
      for (const field of ['scripts', 'private', 'devDependencies'])
        expect(manifest).not.toHaveProperty(field);
      if (name === '@opentill/client') expect(manifest.dependencies).toBeUndefined();
    }
  });

  test('the list of components has what is installed and what the console bundles, with permissive licenses', async () => {
    const json = async (path: string) => JSON.parse(await readFile(join(app, path), 'utf8'));
    const { components }: { components: readonly Component[] } = await json(componentFile);
    expect(JSON.stringify(components)).not.toContain('file:');
    const { packages: present } = await json('node_modules/.package-lock.json');
    const names = Object.keys(present).map((path) => path.replace(/^.*node_modules\//, ''));
    expect(components.map(({ name }) => name)).toEqual(expect.arrayContaining(names));
    const bundled = components.find(({ name }) => name === '@opentill/console')?.components ?? [];
    const bundledNames = ['react-dom', '@mantine/core', '@scalar/fastify-api-reference'];
    expect(bundled.map(({ name }) => name)).toEqual(expect.arrayContaining(bundledNames));
    for (const { name, licenses } of [...components, ...bundled]) {
      expect(permissive, name).toContain(licenses[0]?.license.id);
    }
    expect(await readFile(join(app, 'postgresql-notices.md'), 'utf8')).toContain('## PostgreSQL\n');
  });

  test('the checksums of the packed files are right', async () => {
    const { stdout } = await run('sha256sum', ['--check', checksumFile], { cwd: app });
    expect(stdout.match(/: OK$/gm)).toHaveLength(packages.length + 1);
  });
});

test('its server serves the purchase API, the console and the documentation, is healthy, and stops', async () => {
  const { image } = installed;
  const own = { OPENTILL_HOST: '127.0.0.1', OPENTILL_OPERATOR_HOST: '127.0.0.1', OPENTILL_PORT: '0' };
  const env = { ...installed.env, ...image.env, ...own, OPENTILL_OPERATOR_PORT: String(await freePort()) };
  const command = [...commandOf(image, 'ENTRYPOINT'), '--demo'];
  await using server = await serveInstalled(installed, { command, env });
  const body = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: 'com.example.demo',
    client_secret: (await readFile(join(image.root, 'data/demo-client.secret'), 'utf8')).trim(),
  });
  const token = await fetch(`${server.publicUrl}/v2/oauth/token`, { method: 'POST', body });
  expect(await token.json()).toMatchObject({ token_type: 'bearer' });
  for (const path of ['/console/', '/docs/'])
    expect((await fetch(server.operatorUrl + path)).status).toBe(200);
  const [node = '', ...check] = commandOf(image, 'HEALTHCHECK');
  await run(node, check, { env });
  expect(await server.interrupt()).toBe(0);
  await expect(run(node, check, { env })).rejects.toMatchObject({ code: 1 });
});

describe('the types of the installed client', () => {
  async function compile(name: string, text: string, options: object = {}): Promise<string> {
    await inApp(name, text);
    const lib = ['es2024', 'dom', 'dom.iterable'];
    const plain = { strict: true, module: 'nodenext', target: 'es2024', lib, types: [], noEmit: true };
    const compilerOptions = { ...plain, ...options };
    const project = await inApp(`${name}.json`, JSON.stringify({ compilerOptions, files: [name] }));
    return await run(process.execPath, [tsc, '-p', project], { cwd: app }).then(
      () => '',
      (error: { stdout: string }) => error.stdout,
    );
  }

  test('the types of the client need neither the contract nor its schemas nor the types of Node.js', async () => {
    const text = `import { PurchaseClient, verifyWebhook } from '@opentill/client';
      import { OperatorClient, type Purchase } from '@opentill/client/operator';
      import { DeveloperClient } from '@opentill/client/developer';
      declare const operator: OperatorClient, sandbox: DeveloperClient, client: PurchaseClient;
      export const made: Purchase = await operator.recordPurchase({ packageName: 'a', productId: 'b' });
      export const state: 0 | 1 = (await client.getPurchaseDetails({ purchaseId: made.purchaseId })).purchaseState;
      export const page = await client.getVoidedPurchases({ startTime: 1, maxResults: undefined });
      export const none: undefined = await sandbox.reset();
      export { verifyWebhook };`;
    expect(await compile('stands-alone.mts', text)).toBe('');
    const wrong = `import { OperatorClient } from '@opentill/client/operator';
      declare const operator: OperatorClient;
      await operator.recordPurchase({ packageName: 'a' });`;
    expect(await compile('is-wrong.mts', wrong)).toContain("Property 'productId' is missing");
    for (const file of await readdir(join(app, 'node_modules/@opentill/client/dist/src'))) {
      const declarations = await readFile(join(app, 'node_modules/@opentill/client/dist/src', file), 'utf8');
      expect(declarations, file).not.toMatch(/@opentill\/contract|typebox/);
    }
  });

  test('the types of the installed client equal those of the contract, name by name', async () => {
    const source = await readFile(join(root, 'packages/client/src/contract-types.ts'), 'utf8');
    const listed = [...source.matchAll(/^export type \{([^}]+)\}/gm)].flatMap(([, names = '']) =>
      names.split(','),
    );
    const single = [...source.matchAll(/^export type (\w+)/gm)].map(([, name = '']) => name);
    const names = [...listed.map((name) => name.trim()), ...single].filter((name) => name !== '');
    expect(names.length).toBeGreaterThan(30);
    const packed = join(app, 'node_modules/@opentill/client/dist/src/contract-types.js');
    const lines = names.map((name) => `same<Packed.${name}, Source.${name}>(true);`);
    const text = `import type * as Packed from '${packed}';
      import type * as Source from '${join(root, 'packages/client/src/contract-types.ts')}';
      type Plain<T> = T extends (...given: infer G) => infer A ? (...given: { [K in keyof G]: Plain<G[K]> }) => Plain<A>
        : T extends Promise<infer A> ? Promise<Plain<A>> : T extends AbortSignal ? T
        : T extends object ? { [K in keyof T]: Plain<T[K]> } : T;
      type Same<A, B> = (<T>() => T extends Plain<A> ? 1 : 2) extends <T>() => T extends Plain<B> ? 1 : 2 ? true : false;
      declare function same<A, B>(is: Same<A, B>): void;
      ${lines.join('\n')}`;
    const own = { exactOptionalPropertyTypes: true, skipLibCheck: true };
    const options = { allowImportingTsExtensions: true, ...own };
    expect(await compile('same.mts', text, options)).toBe('');
    const unlike = text.replace(/same<Packed.*;/s, 'same<Packed.App, Source.Product>(true);');
    expect(await compile('unlike.mts', unlike, options)).toContain('is not assignable');
  });
});
