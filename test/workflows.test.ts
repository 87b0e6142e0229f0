// The workflows, the composite action and the workflow of the documents, against the schemas of GitHub.

import { readFileSync } from 'node:fs';
import { glob } from 'node:fs/promises';
import { validateAction, validateWorkflow } from '@action-validator/core';
import { expect, test } from 'vitest';

const action = readFileSync('action.yml', 'utf8');
const paths = await Array.fromAsync(glob('.github/workflows/*.yml'));
const shown = /^```yaml\n([^`]*)^```$/m.exec(readFileSync('docs/ci.md', 'utf8'))?.[1] ?? '';
const workflows = [
  ...paths.map((path) => [path, readFileSync(path, 'utf8')] as const),
  ['docs/ci.md', shown] as const,
];

test.each(workflows)('the workflow of %s is valid', (_, text) => {
  expect(validateWorkflow(text).errors).toEqual([]);
  expect(validateWorkflow(text.replace('runs-on:', 'runs-at:')).errors).not.toEqual([]);
});

test('the composite action is valid', () => {
  expect(validateAction(action).errors).toEqual([]);
  expect(validateAction(action.replace('runs:', 'steps:')).errors).not.toEqual([]);
});

test('each action of others is named with its full version', () => {
  const named = [action, ...workflows.map(([, text]) => text)].flatMap(
    (text) => text.match(/uses: .*/g) ?? [],
  );
  expect(named.length).toBeGreaterThan(5);
  for (const use of named) expect(use).toMatch(/^uses: [\w-]+\/[\w-]+@v\d+\.\d+\.\d+$/);
});

test('the inputs that the documents use are inputs of the action', () => {
  const used = [...shown.matchAll(/^ {10}([\w-]+):/gm)].map(([, name]) => name);
  expect(used).toContain('run');
  for (const name of used) expect(action).toContain(`\n  ${name}:\n`);
});
