// Tests docs/conformance.md.

import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { exitCodes } from '../src/command.ts';
import { startReferenceServer } from './reference-server/reference-server.ts';
import { app } from './reference-server/till.ts';

const docs = new URL('../../../docs/', import.meta.url);
const readPage = (name: string): Promise<string> => readFile(new URL(name, docs), 'utf8');

test('docs/conformance.md lists the exit codes', async () => {
  const rows = [...(await readPage('conformance.md')).matchAll(/^\| (\d) \| (.+) \|$/gm)];
  expect(rows.map(([, code]) => Number(code))).toEqual(Object.values(exitCodes));
});

test('the commands of docs/conformance.md do what the page says', async () => {
  await using server = await startReferenceServer();
  const folder = await mkdtemp(join(tmpdir(), 'conformance-'));
  const program = fileURLToPath(new URL('../bin/opentill-conformance.ts', import.meta.url));
  const blocks = [...(await readPage('conformance.md')).matchAll(/^```bash\n([\s\S]*?)^```$/gm)];
  const { seeded } = server.plant();
  await mkdir(join(folder, '.opentill'));
  const files = {
    '.opentill/demo-client.secret': app.clientSecret,
    'client.secret': app.clientSecret,
    'expired.token': seeded.expiredToken,
    'other.token': seeded.otherEnvironmentToken,
  };
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  // The names on the page, and their values in this test.
  const names: Readonly<Record<string, string>> = {
    'http://127.0.0.1:8080': server.origin,
    'api.store.example': server.origin,
    'com.example.demo': app.clientId,
    'com.example.game': app.clientId,
    'com.example.other': seeded.otherPackage,
    'P-1': seeded.unconsumedPurchase[0] ?? '',
    'P-2': seeded.unconsumedPurchase[1] ?? '',
    'P-3': seeded.consumedPurchase,
    'P-4': seeded.voidedPurchase,
    'S-1': seeded.subscription,
    'P-5': seeded.otherPurchase,
  };
  const printed: string[] = [];
  for (const [, block = ''] of blocks) {
    const script = Object.entries(names).reduce((text, [name, value]) => text.replaceAll(name, value), block);
    const npx = `npx() { shift 2; '${process.execPath}' '${program}' "$@" || [ $? = 3 ]; }`;
    const ran = await promisify(execFile)('bash', ['-c', `${npx}\n${script}`], { cwd: folder });
    printed.push(ran.stdout);
  }
  expect(printed).toHaveLength(2);
  for (const text of printed) expect(text).toMatch(/\n1\d\d passed, 0 failed, /);
  expect(await readFile(join(folder, 'conformance.xml'), 'utf8')).toContain('<testsuites');
  await rm(folder, { recursive: true });
});
