// Global setup: builds the console and the reference, unless they are built already.

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const buildProgram = fileURLToPath(new URL('../bin/build.ts', import.meta.url));

export async function setup(): Promise<void> {
  await promisify(execFile)(process.execPath, [buildProgram]);
}
