// Files that nothing leads to.

import { importedPath, type SourceFile } from './layers.ts';
import { importsOf, startedByShell } from './source-text.ts';

/** The files among `files` that nothing leads to from an entry: no import, and no start as a program. */
export function deadFiles(files: readonly SourceFile[], entries: readonly string[]): string[] {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const reached = new Set<string>();
  const open = [...entries];
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    const file = byPath.get(path);
    if (file === undefined || reached.has(path)) continue;
    reached.add(path);
    for (const specifier of path.endsWith('.sh') ? startedByShell(file.text) : importsOf(file.text)) {
      const target = importedPath(path, specifier);
      if (target !== undefined) open.push(target);
    }
  }
  return files.map(({ path }) => path).filter((path) => !reached.has(path));
}
