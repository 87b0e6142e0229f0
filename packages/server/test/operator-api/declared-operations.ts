// The operations of the operator API, read from the files of the contract.

import { readdir } from 'node:fs/promises';
import type { OperatorOperation } from '@opentill/contract/operator-api/operator-operation.ts';

const folder = new URL(import.meta.resolve('@opentill/contract/operator-api/operator-operation.ts'));
export const names = (await readdir(new URL('.', folder)))
  .map((file) => file.replace('.ts', ''))
  .filter((name) => !['operator-operation', 'paging'].includes(name));

export const operations: OperatorOperation[] = await Promise.all(
  names.map(async (name) => (await import(new URL(`${name}.ts`, folder).href))[name]),
);
