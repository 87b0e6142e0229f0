import { glob, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/**
 * Copies what a workspace has beside its TypeScript, statements and programs in plain JavaScript, to where that is
 * JavaScript as well: what the programs import is named so.
 */
export async function copyPlainFiles(workspace: string, to: string): Promise<void> {
  for await (const file of glob(['src/**/*.sql', 'bin/*.cjs'], { cwd: workspace })) {
    await mkdir(dirname(join(to, file)), { recursive: true });
    const text = await readFile(join(workspace, file), 'utf8');
    await writeFile(join(to, file), text.replaceAll(/import\('(\.[^']+)\.ts'\)/g, "import('$1.js')"));
  }
}
