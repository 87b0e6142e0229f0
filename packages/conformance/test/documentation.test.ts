// Tests docs/conformance.md.

import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { tryConsume, voidTestPurchase } from '../../../test/support/calls/purchase-changes.ts';
import { adminKey, createTestApp, recordTestPurchase } from '../../../test/support/harness.ts';
import { TestClock } from '../../../test/support/test-clock.ts';
import { systemClock } from '../../server/src/runtime/clock.ts';
import { exitCodes } from '../src/command.ts';
import { startPlantedServer } from './planted-server.ts';

/** How far the clock of the server is ahead of the kit, so that the kit's current time has passed. */
const aheadMs = 60_000;

const docs = new URL('../../../docs/', import.meta.url);
const readPage = (name: string): Promise<string> => readFile(new URL(name, docs), 'utf8');

test('docs/conformance.md lists the exit codes', async () => {
  const rows = [...(await readPage('conformance.md')).matchAll(/^\| (\d) \| (.+) \|$/gm)];
  expect(rows.map(([, code]) => Number(code))).toEqual(Object.values(exitCodes));
});

test('the commands of docs/conformance.md do what the page says', async () => {
  await using planted = await startPlantedServer({ clock: new TestClock(systemClock.now()) });
  const { server, app, origin } = planted;
  const folder = await mkdtemp(join(tmpdir(), 'conformance-'));
  const program = fileURLToPath(new URL('../bin/opentill-conformance.ts', import.meta.url));
  const blocks = [...(await readPage('conformance.md')).matchAll(/^```bash\n([\s\S]*?)^```$/gm)];
  const record = async (productId: string, of = app) =>
    (await recordTestPurchase(server, of, { productId })).purchaseId;
  const [first, second, consumed, voided] = await Promise.all(
    ['coins', 'coins', 'coins', 'coins'].map((id) => record(id)),
  );
  await tryConsume(server, app, String(consumed));
  await voidTestPurchase(server, app, String(voided));
  const other = await createTestApp(server, 'com.example.another');
  await server.clock.advance(aheadMs);
  await mkdir(join(folder, '.opentill'));
  const files = {
    '.opentill/demo-client.secret': app.clientSecret,
    '.opentill/operator.key': adminKey,
    'client.secret': app.clientSecret,
    'expired.token': 'expired'.padEnd(36, '0'),
    'other.token': 'other'.padEnd(36, '0'),
    'purchases.txt': [first, second, consumed, voided].join('\n'),
  };
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  // The names on the page, and their values in this test.
  const names: Readonly<Record<string, string>> = {
    'http://127.0.0.1:8080': origin,
    'http://127.0.0.1:8081': server.operatorUrl,
    'api.store.example': origin,
    'iap.example.com': server.publicUrl,
    'com.example.demo': app.clientId,
    'com.example.game': app.clientId,
    'com.example.other': other.packageName,
    'P-1': String(first),
    'P-2': String(second),
    'P-3': String(consumed),
    'P-4': String(voided),
    'S-1': await record('monthly'),
    'P-5': await record('coins', other),
  };
  const printed: string[] = [];
  for (const [index, [, block = '']] of blocks.entries()) {
    const script = Object.entries(names).reduce((text, [name, value]) => text.replaceAll(name, value), block);
    // The sandbox passes, both hosts are equal; the other server has no subscription in its second period, for example.
    const code = index === 1 ? exitCodes.inconclusive : exitCodes.passed;
    const npx = `npx() { shift 2; '${process.execPath}' '${program}' "$@"; [ $? = ${code} ]; }`;
    const ran = await promisify(execFile)('bash', ['-c', `${npx}\n${script}`], { cwd: folder });
    printed.push(ran.stdout);
  }
  expect(printed).toHaveLength(3);
  expect(printed[0]).toMatch(/\n\d+ passed, 0 failed, 2 inconclusive, /);
  expect(printed[1]).toMatch(/\n1\d\d passed, 0 failed, /);
  expect(printed[2]).toBe('4 equal, 0 different, 0 not compared\n');
  expect(await readFile(join(folder, 'conformance.xml'), 'utf8')).toContain('<testsuites');
  await rm(folder, { recursive: true });
});
