import { glob, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/**
 * Copies the SQL files and plain JavaScript programs of a workspace next to its compiled TypeScript, and renames the
 * imports of the programs accordingly.
 */
export async function copyPlainFiles(workspace: string, to: string): Promise<void> {
  for await (const file of glob(['src/**/*.sql', 'bin/*.{cjs,mjs}'], { cwd: workspace })) {
    await mkdir(dirname(join(to, file)), { recursive: true });
    const text = await readFile(join(workspace, file), 'utf8');
    await writeFile(join(to, file), text.replaceAll(/import\('(\.[^']+)\.ts'\)/g, "import('$1.js')"));
  }
}
