// Finds the built console, and builds it at `npm start` of a checkout (docs/decisions/console.md).

import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import packageJson from '../../package.json' with { type: 'json' };
import type { Config } from '../config/config.ts';
import type { ConsoleFiles } from '../http/console/console-files.ts';
import type { ConsoleRoutes } from '../http/console/console-routes.ts';
import type { Randomness } from '../runtime/randomness.ts';

const packageFolder = dirname(createRequire(import.meta.url).resolve('@opentill/console/package.json'));

export const builtConsole: ConsoleFiles = { folder: join(packageFolder, 'dist'), isBuilding: () => false };

/** Starts a build in its own process, unless this is a package, which contains the built console. */
export function buildConsole(): ConsoleFiles {
  const program = join(packageFolder, 'bin/build.ts');
  if (!existsSync(program)) return builtConsole;
  let isBuilding = true;
  const onEnd = (): void => {
    isBuilding = false;
  };
  spawn(process.execPath, [program], { stdio: 'ignore' }).once('exit', onEnd).once('error', onEnd);
  return { ...builtConsole, isBuilding: () => isBuilding };
}

/** Returns undefined if the console is not served. */
export function consoleRoutes(
  { environment, servesConsole }: Config,
  {
    console: files,
    randomness,
  }: { readonly console?: ConsoleFiles | undefined; readonly randomness: Randomness },
): ConsoleRoutes | undefined {
  if (!servesConsole || files === undefined) return undefined;
  return { files, environment, version: packageJson.version, randomness };
}
