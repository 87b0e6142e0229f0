// The packages as they are published: whole, without the checkout, and with types that stand alone.

import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { installPacked, packWorkspaces } from './packed-checkout.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../../', import.meta.url));
const tsc = join(root, 'node_modules/typescript/bin/tsc');

let folder: string;
let app: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'opentill packed '));
  app = join(folder, 'app');
  await mkdir(app);
  const packed = await packWorkspaces(folder, ['contract', 'client', 'server']);
  expect(packed).toHaveLength(3);
  await installPacked(app, packed);
  // From here on nothing of the copy is there.
  await rm(join(folder, 'checkout'), { recursive: true });
}, 120_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

async function inApp(name: string, text: string): Promise<string> {
  await writeFile(join(app, name), text);
  return join(app, name);
}

describe('the installed packages', () => {
  test('start a server that the installed client drives', async () => {
    const program = await inApp(
      'program.mjs',
      `import { startSandbox } from '@opentill/server/testing';
      import { PurchaseClient } from '@opentill/client';
      const server = await startSandbox();
      const { options, sandbox } = await server.createApp();
      await sandbox.putProduct({ productId: 'coins', type: 'one_time', price: 1, currency: 'EUR' });
      const { purchaseId } = await sandbox.recordPurchase({ productId: 'coins', developerPayload: 'order' });
      const client = new PurchaseClient(options);
      const claim = { purchaseId, productId: 'coins', developerPayload: 'order' };
      const { isValid } = await client.verifyPurchase(claim);
      const { outcome } = await client.consumeOnce({ purchaseId });
      console.log(JSON.stringify({ isValid, outcome, from: import.meta.resolve('@opentill/client') }));
      await server.stop();`,
    );
    const { stdout } = await run(process.execPath, [program], { cwd: app, env: { PATH: '/usr/bin:/bin' } });
    const said = JSON.parse(stdout);
    expect(said).toMatchObject({ isValid: true, outcome: 'consumed' });
    expect(fileURLToPath(said.from)).toBe(join(app, 'node_modules/@opentill/client/dist/src/index.js'));
  });

  test('run the program of the server, which says what is wrong with its settings', async () => {
    const program = join(app, 'node_modules/@opentill/server/dist/bin/opentill.cjs');
    const env = { PATH: '/usr/bin:/bin', OPENTILL_PORT: 'none' };
    await expect(run(process.execPath, [program], { cwd: app, env })).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^OPENTILL_PORT: expected a whole number/),
    });
  });

  test('hold no sources, no tests, and nothing that leads back to the checkout', async () => {
    for (const name of ['contract', 'client', 'server']) {
      const own = join(app, 'node_modules/@opentill', name);
      const files = (await readdir(own, { recursive: true, withFileTypes: true })).filter((file) =>
        file.isFile(),
      );
      expect(files.length).toBeGreaterThan(15);
      const paths = files.map((file) => join(file.parentPath, file.name));
      expect(paths.filter((path) => /(?<!\.d)\.ts$|\.test\.|tsconfig/.test(path))).toEqual([]);
      for (const path of paths) expect(await readFile(path, 'utf8')).not.toContain(root);
      const manifest = JSON.parse(await readFile(join(own, 'package.json'), 'utf8'));
      expect(Object.keys(manifest)).not.toContain('scripts');
      if (name === 'client') expect(manifest.dependencies).toBeUndefined();
    }
  });
});

describe('the types of the installed client', () => {
  async function compile(name: string, text: string, options: object = {}): Promise<string> {
    await inApp(name, text);
    const compilerOptions = {
      strict: true,
      module: 'nodenext',
      target: 'es2024',
      lib: ['es2024', 'dom', 'dom.iterable'],
      types: [],
      noEmit: true,
      ...options,
    };
    const project = await inApp(`${name}.json`, JSON.stringify({ compilerOptions, files: [name] }));
    return await run(process.execPath, [tsc, '-p', project], { cwd: app }).then(
      () => '',
      (error: { stdout: string }) => error.stdout,
    );
  }

  test('stand alone: nobody needs the contract, its schemas, or the types of Node.js', async () => {
    const text = `import { PurchaseClient, verifyWebhook } from '@opentill/client';
      import { OperatorClient, type Purchase } from '@opentill/client/operator';
      import { SandboxClient } from '@opentill/client/sandbox';
      declare const operator: OperatorClient, sandbox: SandboxClient, client: PurchaseClient;
      export const made: Purchase = await operator.recordPurchase({ packageName: 'a', productId: 'b' });
      export const state: 0 | 1 = (await client.getPurchaseDetails({ purchaseId: made.purchaseId })).purchaseState;
      export const page = await client.getVoidedPurchases({ startTime: 1, maxResults: undefined });
      export const none: undefined = await sandbox.reset();
      export { verifyWebhook };`;
    expect(await compile('stands-alone.ts', text)).toBe('');
    const wrong = `import { OperatorClient } from '@opentill/client/operator';
      declare const operator: OperatorClient;
      await operator.recordPurchase({ packageName: 'a' });`;
    expect(await compile('is-wrong.ts', wrong)).toContain("Property 'productId' is missing");
    for (const file of await readdir(join(app, 'node_modules/@opentill/client/dist/src'))) {
      const declarations = await readFile(join(app, 'node_modules/@opentill/client/dist/src', file), 'utf8');
      expect(declarations, file).not.toMatch(/@opentill\/contract|typebox/);
    }
  });

  test('are those of the contract, name for name', async () => {
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
    const options = {
      allowImportingTsExtensions: true,
      exactOptionalPropertyTypes: true,
      skipLibCheck: true,
    };
    expect(await compile('same.ts', text, options)).toBe('');
    const unlike = text.replace(/same<Packed.*;/s, 'same<Packed.App, Source.Product>(true);');
    expect(await compile('unlike.ts', unlike, options)).toContain('is not assignable');
  });
});
