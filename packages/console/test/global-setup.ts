// What the browser tests need for a whole run: a browser, and a folder for what their pages call.

import type { TestProject } from 'vitest/node';
import { requireBrowser } from '../../../test/support/browser/browser-program.ts';
import { checkCalls, makeCallsFolder } from '../../../test/support/browser/called-operations.ts';
import { launchBrowserServer } from '../../../test/support/browser/page.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The address of the only browser of the run. */
    browserUrl: string;
    /** Test files write the operations that their pages called into it. */
    callsFolder: string;
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  await using starting = new AsyncDisposableStack();
  const browser = await launchBrowserServer(await requireBrowser());
  starting.defer(() => browser.close());
  project.provide('browserUrl', browser.wsEndpoint());
  const callsFolder = await makeCallsFolder();
  project.provide('callsFolder', callsFolder);
  const running = starting.move();
  return async () => {
    await running.disposeAsync();
    await checkCalls(callsFolder);
  };
}
