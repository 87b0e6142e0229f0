// What the browser tests need for a whole run: the built console, and a browser.

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { TestProject } from 'vitest/node';
import { type BrowserProgram, requireBrowser } from './browser-program.ts';
import { checkCalls, makeCallsFolder } from './called-operations.ts';

declare module 'vitest' {
  interface ProvidedContext {
    browser: BrowserProgram;
    /** Test files write the operations that their pages called into it. */
    callsFolder: string;
  }
}

const buildProgram = fileURLToPath(new URL('../bin/build.ts', import.meta.url));

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  await promisify(execFile)(process.execPath, [buildProgram]);
  project.provide('browser', await requireBrowser());
  const callsFolder = await makeCallsFolder();
  project.provide('callsFolder', callsFolder);
  return () => checkCalls(callsFolder);
}
