// Which file may import which: data flows one way, from the contract to the process
// (docs/architecture.md, "Layers").

import { posix } from 'node:path';
import { importsOf, typeImportsOf, withoutTypeImports } from './source-text.ts';

export interface SourceFile {
  /** From the root of the repository, with slashes. */
  readonly path: string;
  readonly text: string;
}

/** In this order; a layer imports from itself and from those before it. */
const layers: readonly (readonly [name: string, files: RegExp])[] = [
  ['contract', /^packages\/contract\/src\//],
  ['domain', /^packages\/server\/src\/domain\//],
  ['store', /^packages\/server\/src\/store\//],
  ['operations, jobs', /^packages\/server\/src\/(?:operations|jobs)\//],
  ['http', /^packages\/server\/src\/http\//],
  ['server', /^packages\/server\/src\/(?:config|demo|secret-files|server|settings|welcome)\.ts$/],
  ['main, cli', /^packages\/server\/src\/(?:main\.ts$|cli\/)/],
  ['testing', /^packages\/server\/src\/testing(?:\.ts$|\/)/],
];
const rankOf = (path: string): number => layers.findIndex(([, files]) => files.test(path));
const rankOfLayer = (name: string): number => layers.findIndex(([layer]) => layer === name);

const isRuntime = (path: string): boolean => path.startsWith('packages/server/src/runtime/');
const isEmbedded = (path: string): boolean => path.startsWith('packages/server/src/embedded/');

/** Stands beside the layers: it runs wherever fetch does, on nothing but what every runtime has. */
const isClient = (path: string): boolean => path.startsWith('packages/client/src/');

/** Stands beside the layers, too: it looks at a server from outside, by what the contract says of it. */
const isConformance = (path: string): boolean => path.startsWith('packages/conformance/src/');

/** Comes last: it starts what it needs, and speaks with a server through the client. */
const isCommandLine = (path: string): boolean => path.startsWith('packages/cli/src/');

/** Of the server the command line knows how to start it and its settings; its store only where it works on one. */
const shownToCommands = /^packages\/server\/src\/(?:main|settings|secret-files)\.ts$/;
const shownToStoreWork = /^packages\/server\/src\/(?:config\.ts$|cli\/|runtime\/)/;

/** What the packages show of themselves under names that are not those of files. */
const entries: ReadonlyMap<string, string> = new Map([
  ['@opentill/client', 'packages/client/src/index.ts'],
  ['@opentill/client/operator', 'packages/client/src/operator-client.ts'],
  ['@opentill/client/sandbox', 'packages/client/src/sandbox-client.ts'],
  ['@opentill/conformance', 'packages/conformance/src/run-conformance.ts'],
  ['@opentill/server/testing', 'packages/server/src/testing.ts'],
]);

/** Packages of the layers that hold no I/O: schemas, calendars, ranges of addresses, hashing of what is given. */
const purePackages = /^(?:typebox(?:\/.*)?|temporal-polyfill|ipaddr\.js|node:crypto)$/;
const isPure = (path: string): boolean => rankOf(path) >= 0 && rankOf(path) <= rankOfLayer('domain');

/** The path of a file of ours that an import names; undefined for a package. */
export function importedPath(from: string, specifier: string): string | undefined {
  if (specifier.startsWith('.')) return posix.normalize(posix.join(posix.dirname(from), specifier));
  const entry = entries.get(specifier);
  if (entry !== undefined) return entry;
  const [, own, path] = /^@opentill\/(\w+)\/(.+)$/.exec(specifier) ?? [];
  return own === undefined ? undefined : `packages/${own}/src/${path}`;
}

/** Each import of a source file that its layer does not allow, and a file that belongs to no layer. */
export function layerProblems({ path, text }: SourceFile): string[] {
  if (isClient(path)) return clientProblems({ path, text });
  if (isConformance(path)) return conformanceProblems({ path, text });
  if (isCommandLine(path)) return commandLineProblems({ path, text });
  if (rankOf(path) < 0 && !isRuntime(path) && !isEmbedded(path)) return [`${path} belongs to no layer.`];
  return importsOf(text).flatMap((specifier) => {
    const target = importedPath(path, specifier);
    const isAllowed = target === undefined ? mayUsePackage(path, specifier) : mayImport(path, target);
    return isAllowed ? [] : [`${path} must not import ${specifier}.`];
  });
}

/** Of the contract and its schemas the client has the types, which leave nothing behind at run time. */
function clientProblems({ path, text }: SourceFile): string[] {
  const isOwn = (specifier: string) => isClient(importedPath(path, specifier) ?? '');
  const refused = [
    ...importsOf(withoutTypeImports(text)).filter((specifier) => !isOwn(specifier)),
    ...typeImportsOf(text).filter(
      (specifier) => !isOwn(specifier) && !/^(?:@opentill\/contract\/.+|typebox)$/.test(specifier),
    ),
  ];
  return refused.map((specifier) => `${path} must not import ${specifier}.`);
}

/** Of our own files the kit knows the contract's: what it shared with a server it would not find wrong there. */
function conformanceProblems({ path, text }: SourceFile): string[] {
  const isKnown = (target: string) => isConformance(target) || rankOf(target) === rankOfLayer('contract');
  return importsOf(text).flatMap((specifier) => {
    const target = importedPath(path, specifier);
    return target === undefined || isKnown(target) ? [] : [`${path} must not import ${specifier}.`];
  });
}

/** Everything but the store is reached through the client: a command has no way around the operator API. */
function commandLineProblems({ path, text }: SourceFile): string[] {
  const worksOnStore = path.startsWith('packages/cli/src/store/');
  const isKnown = (target: string) =>
    isCommandLine(target) ||
    isClient(target) ||
    target === 'packages/cli/package.json' ||
    target === 'packages/conformance/src/command.ts' ||
    target === 'packages/contract/src/limits.ts' ||
    shownToCommands.test(target) ||
    (worksOnStore && shownToStoreWork.test(target));
  return importsOf(text).flatMap((specifier) => {
    const target = importedPath(path, specifier);
    return target === undefined || isKnown(target) ? [] : [`${path} must not import ${specifier}.`];
  });
}

function mayUsePackage(path: string, specifier: string): boolean {
  if (!isPure(path)) return true;
  return rankOf(path) === rankOfLayer('contract') ? /^typebox/.test(specifier) : purePackages.test(specifier);
}

function mayImport(path: string, target: string): boolean {
  // The version of the package that a file belongs to.
  if (/^packages\/\w+\/package\.json$/.test(target)) return path.startsWith(posix.dirname(target));
  if (isRuntime(path)) return isRuntime(target);
  if (isEmbedded(path)) return isRuntime(target) || isEmbedded(target);
  if (isRuntime(target)) return !isPure(path);
  // What a server is called through: for programs that call one.
  if (isClient(target)) return rankOf(path) >= rankOfLayer('main, cli');
  if (isEmbedded(target)) return rankOf(path) >= rankOfLayer('server');
  return rankOf(target) >= 0 && rankOf(target) <= rankOf(path);
}
