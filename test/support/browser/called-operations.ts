// The operator operations that pages of the browser tests called with success, collected over all test files of a run.

import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { operatorOperations } from '@opentill/contract/operations.ts';
import type { OperatorOperation } from '@opentill/contract/operator-api/operator-operation.ts';
import type { Browser } from 'playwright-core';

const patterns = operatorOperations
  .map(({ operationId, method, path }) => ({
    operationId,
    pattern: new RegExp(`^${method} ${path.replaceAll(/:\w+/g, '[^/]+')}$`),
    parameters: path.split(':').length,
  }))
  // A fixed part of a path precedes a parameter.
  .toSorted((left, right) => left.parameters - right.parameters);

/** Writes the operations that pages of a browser call into a file of the folder: call the result at the end. */
export function collectCalls(browser: Browser, folder: string): () => Promise<void> {
  const called = new Set<string>();
  browser.on('context', (context) => {
    context.on('response', (response) => {
      if (!response.ok()) return;
      const call = `${response.request().method()} ${new URL(response.url()).pathname}`;
      const operation = patterns.find(({ pattern }) => pattern.test(call));
      if (operation !== undefined) called.add(operation.operationId);
    });
  });
  return () => writeFile(join(folder, `${randomUUID()}.json`), JSON.stringify([...called]));
}

export function makeCallsFolder(): Promise<string> {
  return mkdtemp(join(tmpdir(), 'opentill-calls-'));
}

/**
 * Removes the folder.
 * @throws Error if every browser test file has run, and an operation was not called.
 */
export async function checkCalls(folder: string): Promise<void> {
  const files = await readdir(folder);
  const lists = files.map(async (file) => JSON.parse(await readFile(join(folder, file), 'utf8')) as string[]);
  const called = new Set((await Promise.all(lists)).flat());
  await rm(folder, { recursive: true });
  if (files.length < (await countBrowsers())) return;
  const uncalled = operatorOperations
    .filter((operation: OperatorOperation) => operation.keyOnly !== true)
    .map(({ operationId }): string => operationId)
    .filter((operationId) => !called.has(operationId));
  if (uncalled.length > 0) {
    throw new Error(
      `Expected a browser test that calls each operator operation, got none for ${uncalled.join(', ')}.`,
    );
  }
}

/** Each writes a file. */
async function countBrowsers(): Promise<number> {
  const folder = new URL('../../../packages/console/test/', import.meta.url);
  const names = (await readdir(folder)).filter((name) => name.endsWith('.test.ts'));
  const texts = await Promise.all(names.map((name) => readFile(new URL(name, folder), 'utf8')));
  return texts.flatMap((text) => text.match(/await use(?:Browser|Console)\(/g) ?? []).length;
}
