// How files are named, and how long they and the functions of tests may be. The length of all other functions
// is Biome's to check (biome.json).

import { basename } from 'node:path';
import type { SourceFile } from './layers.ts';

export const fileLinesMax = 299;
export const functionLinesMax = 60;

/** `content-types` is about content types; `types` alone, or `purchase-helpers`, could hold anything. */
const forbiddenName = /^(?:common|misc|types)$|(?:^|-)(?:utils?|helpers?|managers?|services?)$/;
const kebabCase = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

/** Folders whose camelCase files are operations, each named by its operationId. */
const operationFolder = /\/(?:purchase|operator|sandbox|events)-api\/[^/]+$/;

/** A file of a wrong name; `operationIds` are those of the contract. */
export function namingProblems(path: string, operationIds: ReadonlySet<string>): string[] {
  const name = basename(path).replace(/\.(?:test\.)?(?:d\.)?[cm]?[jt]s$/, '');
  if (operationFolder.test(path) && /[A-Z]/.test(name)) {
    return operationIds.has(name) ? [] : [`${path}: there is no operation of this name.`];
  }
  if (forbiddenName.test(name)) return [`${path}: a name that says nothing.`];
  const isConfig = /^[a-z]+\.config$/.test(name);
  return kebabCase.test(name) || isConfig ? [] : [`${path}: expected a name in kebab-case.`];
}

/** A contract's or a server's operation file has to be about the operation that it is named after. */
export function operationFileProblems({ path, text }: SourceFile): string[] {
  const name = basename(path).replace(/\.ts$/, '');
  if (!operationFolder.test(path) || !/[A-Z]/.test(name)) return [];
  if (path.startsWith('packages/contract/')) {
    const isOwn = text.includes(`export const ${name} = {`) && text.includes(`operationId: '${name}'`);
    return isOwn ? [] : [`${path}: expected to declare the operation ${name}.`];
  }
  const [folder = ''] = /(?:purchase|operator|sandbox|events)-api/.exec(path) ?? [];
  const contract = new RegExp(`\\b${name} as operation\\b.*'@opentill/contract/(.+)/${name}\\.ts'`).exec(
    text,
  )?.[1];
  const isOwn = text.includes(`export function ${name}(`) && (contract ?? folder) === folder;
  return isOwn ? [] : [`${path}: expected to implement the operation ${name} of its contract.`];
}

export function lengthProblems({ path, text }: SourceFile): string[] {
  const lines = text.trimEnd().split('\n').length;
  return lines > fileLinesMax ? [`${path}: ${lines} lines, expected at most ${fileLinesMax}.`] : [];
}

/**
 * In tests a `describe` holds tests and may be as long as its file. In a formatted file a block ends where a
 * line is indented as its first one is.
 */
export function longFunctionsOfTests({ path, text }: SourceFile): string[] {
  const lines = text.split('\n');
  return lines.flatMap((line, start) => {
    if (!beginsFunction(line) || opensDescribe(lines, start)) return [];
    const end = `${indentationOf(line)}}`;
    const length = lines.slice(start + 1).findIndex((next) => next.startsWith(end));
    if (length <= functionLinesMax) return [];
    return [`${path}:${start + 1}: ${length} lines, expected at most ${functionLinesMax}.`];
  });
}

function beginsFunction(line: string): boolean {
  if (/^\s*(?:\} (?:else|catch|finally)\b|(?:if|for|while|switch)\b)/.test(line)) return false;
  return /(?:=>|\bfunction\b.*|^\s*(?:async )?[\w#]+\(.*\).*|^\s*[})].*\).*) \{$/.test(line);
}

/** Also where `describe.each` and its cases stand on the lines before. */
function opensDescribe(lines: readonly string[], start: number): boolean {
  const indentation = indentationOf(lines[start] ?? '');
  const first = lines
    .slice(0, start + 1)
    .findLast((line) => line.startsWith(indentation) && /^\w/.test(line.slice(indentation.length)));
  return first?.slice(indentation.length).startsWith('describe') ?? false;
}

function indentationOf(line: string): string {
  return /^\s*/.exec(line)?.[0] ?? '';
}
