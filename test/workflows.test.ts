// The workflows, the composite action and the workflow of the documents, against the schemas of GitHub.

import { readFileSync } from 'node:fs';
import { glob } from 'node:fs/promises';
import { validateAction, validateWorkflow } from '@action-validator/core';
import { expect, test } from 'vitest';

const action = readFileSync('action.yml', 'utf8');
const paths = await Array.fromAsync(glob('.github/workflows/*.yml'));
const shown = /^```yaml\n([^`]*)^```$/m.exec(readFileSync('docs/quick-start-tests.md', 'utf8'))?.[1] ?? '';
const workflows = [
  ...paths.map((path) => [path, readFileSync(path, 'utf8')] as const),
  ['docs/quick-start-tests.md', shown] as const,
];

test.each(workflows)('the workflow of %s is valid', (_, text) => {
  expect(validateWorkflow(text).errors).toEqual([]);
  expect(validateWorkflow(text.replace('runs-on:', 'runs-at:')).errors).not.toEqual([]);
});

test('the composite action is valid', () => {
  expect(validateAction(action).errors).toEqual([]);
  expect(validateAction(action.replace('runs:', 'steps:')).errors).not.toEqual([]);
});

test('each action of others is named with its full version, and in the release by its commit', () => {
  const usesOf = (text: string) => text.match(/uses: .*/g) ?? [];
  const isRelease = (path: string) => path.endsWith('/release.yml');
  const released = workflows.filter(([path]) => isRelease(path)).flatMap(([, text]) => usesOf(text));
  const others = workflows.filter(([path]) => !isRelease(path)).map(([, text]) => text);
  const named = [action, ...others].flatMap(usesOf);
  expect(named.length).toBeGreaterThan(3);
  expect(released).toHaveLength(2);
  for (const use of named) expect(use).toMatch(/^uses: [\w-]+\/[\w-]+@v\d+\.\d+\.\d+$/);
  for (const use of released) expect(use).toMatch(/^uses: [\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
});

test('the inputs that the documents use are inputs of the action', () => {
  const used = [...shown.matchAll(/^ {10}([\w-]+):/gm)].map(([, name]) => name);
  expect(used).toContain('run');
  for (const name of used) expect(action).toContain(`\n  ${name}:\n`);
});
