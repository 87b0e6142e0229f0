// The lists of operations hold every operation file of the contract, and nothing else.

import { readdir } from 'node:fs/promises';
import { operatorOperations, purchaseOperations, sandboxOperations } from '@opentill/contract/operations.ts';
import { describe, expect, test } from 'vitest';

const contract = new URL('../../../contract/src/', import.meta.url);

/** Operation files are named by their operationId; what the files of a folder share has a kebab-case name. */
async function operationFiles(folder: string): Promise<string[]> {
  const files = await readdir(new URL(`${folder}/`, contract));
  const names = files.map((file) => file.replace(/\.ts$/, ''));
  return names.filter((name) => /[A-Z]/.test(name)).sort();
}

describe.each([
  { folder: 'purchase-api', operations: purchaseOperations },
  { folder: 'operator-api', operations: operatorOperations },
  { folder: 'sandbox-api', operations: sandboxOperations },
])('the list of $folder', ({ folder, operations }) => {
  test('names each operation file of its folder once', async () => {
    const listed = operations.map(({ operationId }) => operationId as string).sort();
    expect(listed).toEqual(await operationFiles(folder));
  });
});

test('no two operations answer to the same method and path', () => {
  const operations = [...purchaseOperations, ...operatorOperations, ...sandboxOperations];
  const calls = operations.map(({ method, path }) => `${method} ${path.replaceAll(/:\w+/g, ':')}`);
  expect(new Set(calls).size).toBe(calls.length);
});
