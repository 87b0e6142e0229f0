// The unit of systemd, and the rules and queries of Prometheus, checked by the programs that read them.

import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { makeScratch } from '../support/embedded/scratch.ts';
import { installed, promtool, systemdAnalyze } from './programs.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../', import.meta.url));

test.each(installed([promtool]))(
  'the rules of Prometheus are valid and fire as their tests say',
  async ({ command: [program] }) => {
    const checked = await run(program, ['check', 'rules', 'packaging/monitoring/rules.yml'], { cwd: root });
    expect(checked.stdout).toMatch(/SUCCESS: [1-9]\d* rules found/);
    const tested = await run(program, ['test', 'rules', 'packaging/monitoring/rules.test.yml'], {
      cwd: root,
    });
    expect(tested.stdout).toContain('SUCCESS');
  },
);

test.each(installed([promtool]))('the queries of the dashboard are valid', async ({ command: [program] }) => {
  await using scratch = await makeScratch();
  const { panels } = JSON.parse(await readFile(join(root, 'packaging/monitoring/dashboard.json'), 'utf8'));
  const queries = panels.flatMap(({ targets }: { targets: { expr: string }[] }) =>
    targets.map(({ expr }) => expr.replaceAll('$__rate_interval', '5m')),
  );
  const rules = queries.map((expr: string, index: number) => ({ record: `dashboard:${index}`, expr }));
  const path = join(scratch.path, 'queries.yml');
  // JSON is YAML.
  await writeFile(path, JSON.stringify({ groups: [{ name: 'dashboard', rules }] }));
  const { stdout } = await run(program, ['check', 'rules', path]);
  expect(stdout).toContain(`SUCCESS: ${queries.length} rules found`);
});

test.each(installed([systemdAnalyze]))(
  'the unit of systemd is valid and hardened, and its program is in a checkout',
  async ({ command: [program] }) => {
    await using scratch = await makeScratch();
    const unit = await readFile(join(root, 'packaging/opentill.service'), 'utf8');
    const copy = join(scratch.path, 'opentill.service');
    await writeFile(copy, unit.replaceAll('/opt/opentill/', root));
    // It warns of an unknown key with status 0.
    expect(await run(program, ['verify', copy])).toEqual({ stdout: '', stderr: '' });
    // An exposure of more than 4.0 of 10 fails.
    await run(program, ['security', '--offline=true', '--threshold=40', copy]);
  },
);
