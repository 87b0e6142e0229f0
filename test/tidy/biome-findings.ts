// What Biome says about samples, by the settings of this repository: proof that the rules are in force.

import { spawnSync } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

export interface Sample {
  /** Where it would stand in the repository. */
  readonly path: string;
  readonly text: string;
}

/** The rules that each sample breaks, in the order of the samples. */
export async function biomeFindings(root: string, samples: readonly Sample[]): Promise<string[][]> {
  const folder = await mkdtemp(join(tmpdir(), 'opentill-tidy-'));
  try {
    await copyFile(join(root, 'biome.json'), join(folder, 'biome.json'));
    for (const [index, { path, text }] of samples.entries()) {
      await mkdir(join(folder, placeOf(path, index), '..'), { recursive: true });
      await writeFile(join(folder, placeOf(path, index)), text);
    }
    const found = diagnostics(root, folder);
    return samples.map(({ path }, index) =>
      found.filter(({ file }) => file === placeOf(path, index)).map(({ rule }) => rule),
    );
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Samples of the same path stand in folders of their own. */
function placeOf(path: string, index: number): string {
  return join(dirname(path), String(index), path.slice(dirname(path).length));
}

function diagnostics(root: string, folder: string): { file: string; rule: string }[] {
  const { stdout } = spawnSync(
    join(root, 'node_modules/.bin/biome'),
    ['lint', '--vcs-enabled=false', '--reporter=json', '--max-diagnostics=none', '.'],
    { cwd: folder, encoding: 'utf8' },
  );
  const report = JSON.parse(stdout) as {
    diagnostics: { category: string; location: { path: string | { file: string } } }[];
  };
  return report.diagnostics.map(({ category, location: { path } }) => ({
    file: typeof path === 'string' ? path : path.file,
    rule: category.split('/').at(-1) ?? '',
  }));
}
