// What the browser tests need for a whole run: the built console, and a browser.

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { TestProject } from 'vitest/node';
import { requireBrowser } from './browser-program.ts';
import { checkCalls, makeCallsFolder } from './called-operations.ts';
import { launchBrowserServer } from './page.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The address of the only browser of the run. */
    browserUrl: string;
    /** Test files write the operations that their pages called into it. */
    callsFolder: string;
  }
}

const buildProgram = fileURLToPath(new URL('../bin/build.ts', import.meta.url));

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  await using starting = new AsyncDisposableStack();
  const built = promisify(execFile)(process.execPath, [buildProgram]);
  const browser = await launchBrowserServer(await requireBrowser());
  starting.defer(() => browser.close());
  project.provide('browserUrl', browser.wsEndpoint());
  const callsFolder = await makeCallsFolder();
  project.provide('callsFolder', callsFolder);
  await built;
  const running = starting.move();
  return async () => {
    await running.disposeAsync();
    await checkCalls(callsFolder);
  };
}
