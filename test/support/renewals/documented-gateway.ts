// Runs the example of docs/payment-gateway.md unchanged, in a process of its own.

import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { waitFor } from '../wait-for.ts';
import { gatewaySecretText } from './test-gateway.ts';

export const document = await readFile(new URL('../../../docs/payment-gateway.md', import.meta.url), 'utf8');

export interface Example extends AsyncDisposable {
  readonly url: string;
  readonly output: () => string;
}

/** The program of the document in a separate process. */
export async function runExample(): Promise<Example> {
  const folder = await mkdtemp(join(tmpdir(), 'opentill-gateway-'));
  const file = join(folder, 'gateway.mjs');
  await writeFile(file, /```js\n([\s\S]*?)```/.exec(document)?.[1] ?? '');
  const child = spawn(process.execPath, [file], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { PORT: '0', SECRET: gatewaySecretText },
  });
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const ended = new Promise((resolve) => child.on('close', resolve));
  const url = await waitFor(() => /gateway on (\S+)/.exec(said)?.[1], {
    what: 'the example',
  });
  return {
    url,
    output: () => said,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await ended;
      await rm(folder, { recursive: true });
    },
  };
}
