// Finds the built console and reference, and builds them at `npm start` of a checkout (docs/decisions/console.md). Creates the
// link that the welcome prints.

import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { ConsoleLink } from '@opentill/contract/operator-api/createConsoleLink.ts';
import { adminKeyName, type Config } from '../config/config.ts';
import { isLoopback } from '../config/settings.ts';
import type { BuiltFiles } from '../http/pages/built-files.ts';
import { authorOf } from '../operations/console/operator-keys.ts';
import type { OperatorHandler } from '../operations/operator-handler.ts';
import { Refusal } from '../operations/refusal.ts';
import { runOperation } from './run-operation.ts';

const packageFolder = dirname(createRequire(import.meta.url).resolve('@opentill/console/package.json'));

export const builtFiles: BuiltFiles = { folder: join(packageFolder, 'dist'), isBuilding: () => false };

/** Starts a build in its own process, unless this is a package, which contains the built files. */
export function buildFiles(): BuiltFiles {
  const program = join(packageFolder, 'bin/build.ts');
  if (!existsSync(program)) return builtFiles;
  let isBuilding = true;
  const onEnd = (): void => {
    isBuilding = false;
  };
  spawn(process.execPath, [program], { stdio: 'ignore' }).once('exit', onEnd).once('error', onEnd);
  return { ...builtFiles, isBuilding: () => isBuilding };
}

/** Only with the demo, whose welcome shows secrets anyway, and only if the link cannot leave this machine. */
export function printsConsoleLink(config: Config, adminKey: string | undefined): boolean {
  const { makesDemo, operatorAddress, trustedProxies } = config;
  const isLocal = isLoopback(operatorAddress.host) && trustedProxies === undefined;
  return makesDemo && isLocal && adminKey !== undefined;
}

/** Returns the path of the link on the operator listener. */
export async function createStartLink(handlers: readonly OperatorHandler[], now: number): Promise<string> {
  const madeBy = authorOf({ name: adminKeyName });
  const call = { path: {}, body: { role: 'admin' }, madeBy, now };
  const response = await runOperation(handlers, 'createConsoleLink', call);
  if (response instanceof Refusal) throw new Error(`Cannot create the sign-in link: ${response.detail}`);
  return (response.body as ConsoleLink).path;
}
