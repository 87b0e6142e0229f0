// The size of the client in the bundle of an application.

import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';
import { expect, test } from 'vitest';
import { plainClientCalls } from '../../../packaging/client-calls.ts';

/** Bundles and minifies a file with everything that it imports. */
async function bundled(entry: string): Promise<string> {
  const input = fileURLToPath(new URL(`../src/${entry}`, import.meta.url));
  await using bundle = await rolldown({ input, platform: 'neutral', plugins: [plainClientCalls] });
  const { output } = await bundle.generate({ format: 'esm', minify: true });
  const [chunk, ...others] = output;
  expect(others).toEqual([]);
  // No import remains that would have to be installed, or that only one runtime has.
  expect([...chunk.imports, ...chunk.dynamicImports]).toEqual([]);
  return chunk.code;
}

test.each([
  ['index.ts', 'PurchaseClient'],
  ['operator-client.ts', 'OperatorClient'],
  ['developer-client.ts', 'DeveloperClient'],
])('%s is smaller than 8 kB when minified and gzipped, and has no dependencies', async (entry, name) => {
  const code = await bundled(entry);
  expect(code).toContain(name);
  expect(gzipSync(code).length).toBeLessThan(8_000);
});
