/** A program in plain JavaScript, as it stands beside what was TypeScript in the checkout. */
export function withJavaScriptImports(program: string): string {
  return program.replaceAll(/import\('(\.[^']+)\.ts'\)/g, "import('$1.js')");
}
