// Outgoing requests leave nothing in the memory of a server that runs for months.

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const growthMbMax = 3;

test('20,000 requests with a signal that lives as long as the server leave less than 3 MB on the heap', async () => {
  const program = fileURLToPath(new URL('many-requests.ts', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', program]);
  expect(stdout).toMatch(/^-?[\d.]+$/);
  expect(Number(stdout)).toBeLessThan(growthMbMax);
});
