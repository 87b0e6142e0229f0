// The commands and options that the documents, the messages and the help texts name exist, each at its command.

import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { operatorOperations } from '@opentill/contract/operations.ts';
import type { Command } from 'commander';
import { expect, test } from 'vitest';
import { reading } from '../src/main.ts';
import { createProgram } from '../src/program.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));

const stream = () => new PassThrough();
const context = {
  ...{ env: {}, stdin: Readable.from([]), stdout: stream(), stderr: stream() },
  signal: new AbortController().signal,
  setExitCode: () => undefined,
};
const program = await createProgram(context, ['call']);

const optionsOf = (command: Command): string[] => [
  '--help',
  ...command.options.map(({ long }) => long ?? ''),
];

function everyCommand(command: Command): Command[] {
  return [command, ...command.commands.flatMap(everyCommand)];
}

const everyOption = new Set(everyCommand(program).flatMap(optionsOf).concat('--version'));

/** Options of other programs. */
const foreign = new Set([
  ...['--use-system-ca', '--semi-space-growth-factor', '--min-semi-space-size', '--max-semi-space-size'],
  ...['--heap-growing-percent', '--prepare', '--ulimit', '--shm-size'],
]);

/** Names of keys, which are no commands. */
const keyNames = ['opentill continuation', 'opentill access'];

function resolve(command: Command, words: readonly string[]): [Command, readonly string[]] {
  const next = command.commands.find((one) => one.name() === words[0]);
  return next === undefined ? [command, words] : resolve(next, words.slice(1));
}

/** The commands in a text, and the options next to each, that do not exist. */
function unknownCommands(text: string): string[] {
  return [...text.matchAll(/(?<![\w/@.<-])opentill ([a-z][^`\n|]*)/g)].flatMap(([, line = '']) => {
    // Another program or sentence follows.
    const [own = ''] = line.split(/ -- | & |[^\w ]*[:;,.)](?: |$)/);
    const words = own.split(' ').map((word) => word.replace(/[^\w-].*$/, ''));
    const [command, rest] = resolve(program, words);
    const [next = ''] = rest;
    const isUnknown = command.commands.length > 0 && /^[a-z]/.test(next);
    const known = optionsOf(command);
    return [
      ...(isUnknown ? [`${command === program ? 'opentill' : `opentill ${command.name()}`} ${next}`] : []),
      ...rest
        .filter((word) => word.startsWith('--') && !known.includes(word))
        .map((name) => `${own}: ${name}`),
    ];
  });
}

async function filesOf(patterns: readonly string[]) {
  const paths = await Array.fromAsync(glob([...patterns], { cwd: root }));
  const own = paths.filter((path) => /\.\w+$/.test(path) && !path.includes('node_modules')).sort();
  return Promise.all(own.map(async (path) => ({ path, text: await readFile(join(root, path), 'utf8') })));
}

const documents = await filesOf(['*.md', '{docs,examples,bench}/**/*.md', 'packages/*/README.md']);
const sources = await filesOf([
  'packages/*/src/**/*.{ts,tsx,sql}',
  'site/*.ts',
  '{*.yml,*.yaml}',
  'packaging/**/*',
]);

test('every command that a document, a message or a comment names exists, with the options next to it', () => {
  const sample = 'Run `opentill app destroy`, `opentill purchase void --forever`, or npx opentill destroy.';
  expect(unknownCommands(sample)).toEqual([
    'opentill app destroy',
    'purchase void --forever: --forever',
    'opentill destroy',
  ]);
  const unknown = [...documents, ...sources].flatMap(({ path, text }) =>
    unknownCommands(text).map((name) => `${path}: ${name}`),
  );
  expect(unknown.filter((found) => !keyNames.some((name) => found.endsWith(name)))).toEqual([]);
});

test('every option that a document or a message names is one of a command', () => {
  const inDocuments = documents.map(({ path, text }) => ({
    path,
    named: text.matchAll(/(?<=`)--[a-z][a-z0-9-]*[a-z0-9]/g),
  }));
  // The options of PostgreSQL are in embedded/, and the console has variables of CSS.
  const inSources = sources
    .filter(({ path }) => /^packages\/(?:cli|server|contract|conformance)\/src\/(?!embedded)/.test(path))
    .map(({ path, text }) => ({ path, named: text.matchAll(/(?<![\w-])--[a-z][a-z0-9-]*[a-z0-9]/g) }));
  const unknown = [...inDocuments, ...inSources].flatMap(({ path, named }) =>
    [...named]
      .filter(([name]) => !everyOption.has(name) && !foreign.has(name))
      .map(([name]) => `${path}: ${name}`),
  );
  expect(unknown).toEqual([]);
});

test('the verbs of operations that change nothing are those of the calls with GET, and no other', () => {
  const verbs = operatorOperations
    .filter(({ method }) => method === 'GET')
    .map(({ operationId }) => operationId.replace(/[A-Z].*/, ''));
  expect(reading.source).toBe(`^(?:${[...new Set(verbs)].sort().join('|')})`);
});
