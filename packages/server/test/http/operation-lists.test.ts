// The lists of operations contain exactly the operation files of the contract.

import { readdir, readFile } from 'node:fs/promises';
import { eventsOperations, operatorOperations, purchaseOperations } from '@opentill/contract/operations.ts';
import type { OperatorOperation } from '@opentill/contract/operator-api/operator-operation.ts';
import { expect, test } from 'vitest';

const contract = new URL('../../../contract/src/', import.meta.url);

/** The operationIds that the files of a folder declare. */
async function declaredIds(folder: string): Promise<string[]> {
  const files = await readdir(new URL(`${folder}/`, contract));
  const ids = files.map(async (file) => {
    const text = await readFile(new URL(`${folder}/${file}`, contract), 'utf8');
    return [...text.matchAll(/^ {2}operationId: '(\w+)'/gm)].map(([, id]) => id ?? '');
  });
  return (await Promise.all(ids)).flat().sort();
}

test.each([
  { folder: 'purchase-api', operations: purchaseOperations },
  { folder: 'operator-api', operations: operatorOperations },
  { folder: 'events-api', operations: eventsOperations },
])('the list of $folder names each operation file of its folder once', async ({ folder, operations }) => {
  const listed = operations.map(({ operationId }) => operationId as string).sort();
  expect(listed).toEqual(await declaredIds(folder));
});

test('an operation of the operator API that reads records of all apps says so, and names no app in its path', () => {
  const ofOneRow = /App$|Session$|ConsoleLink$/;
  for (const { operationId, path, acrossApps } of operatorOperations as readonly OperatorOperation[]) {
    const isForAllApps = !path.includes(':packageName') && !ofOneRow.test(operationId);
    expect([operationId, acrossApps === true]).toEqual([operationId, isForAllApps]);
  }
});
