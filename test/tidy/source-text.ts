// A source file as rules look at it: what is a comment, what is a string, what it imports. A small scanner is
// enough, since Biome has formatted every file.

export type Part = 'code' | 'comment' | 'string';

interface Piece {
  readonly part: Part;
  readonly text: string;
}

const comment = /\/\/[^\n]*|\/\*[\s\S]*?\*\//y;
const quoted = /'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"/y;
const regex = /\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/[a-z]*/y;
/** Up to the end of a template, or to the next expression in it. */
const templateText = /(?:\\[\s\S]|\$(?!\{)|[^\\`$])*(?:`|\$\{)?/y;
const anyCode = /\w+|\s+|[^\w\s]/y;

/** After one of these a slash begins a regular expression; after a value it divides. */
const beforeRegex = /^(?:[(,=:[!&|?{};+>]|return)?$/;

const known = new Map<string, readonly Piece[]>();

function piecesOf(text: string): readonly Piece[] {
  const pieces = known.get(text) ?? scan(text);
  known.set(text, pieces);
  return pieces;
}

function scan(text: string): Piece[] {
  const pieces: Piece[] = [];
  let position = 0;
  /** One entry for each template that is open: how many braces its expression has open. */
  const templates: number[] = [];
  /** The last code that is not blank. */
  let last = '';
  const take = (pattern: RegExp, part: Part): string | undefined => {
    pattern.lastIndex = position;
    const [taken] = pattern.exec(text) ?? [];
    if (taken === undefined) return undefined;
    pieces.push({ part, text: taken });
    position += taken.length;
    if (part === 'string') last = 'a value';
    if (part === 'code' && taken.trim() !== '') last = taken;
    return taken;
  };
  const takeTemplate = (): void => {
    take(/[`}]/y, 'string');
    if (!take(templateText, 'string')?.endsWith('${')) return;
    templates.push(0);
    last = '{';
  };
  while (position < text.length) {
    if (take(comment, 'comment') ?? take(quoted, 'string')) continue;
    if (beforeRegex.test(last) && take(regex, 'string') !== undefined) continue;
    if (text[position] === '`') takeTemplate();
    else if (text[position] === '}' && templates.at(-1) === 0) {
      templates.pop();
      takeTemplate();
    } else {
      const code = take(anyCode, 'code');
      const open = templates.pop();
      if (open !== undefined) templates.push(open + (code === '{' ? 1 : code === '}' ? -1 : 0));
    }
  }
  return pieces;
}

/**
 * The text with all that is not of the given parts replaced by blanks: lines and columns stay. An expression
 * inside a template is code.
 */
export function onlyParts(text: string, parts: readonly Part[]): string {
  return piecesOf(text)
    .map((piece) => (parts.includes(piece.part) ? piece.text : piece.text.replaceAll(/[^\n]/g, ' ')))
    .join('');
}

const typeImport = /^(?:import|export) type\s[^;]*?\bfrom\s+'([^']+)';/gm;

/** What a file takes types from, and nothing else. */
export function typeImportsOf(text: string): string[] {
  return [...onlyParts(text, ['code', 'string']).matchAll(typeImport)].map(([, specifier = '']) => specifier);
}

export function withoutTypeImports(text: string): string {
  return onlyParts(text, ['code', 'string']).replaceAll(typeImport, '');
}

/** What a shell script starts: `node "$FOLDER/x.ts"`, where the variable is the folder in which the script lies. */
export function startedByShell(text: string): string[] {
  return [...text.matchAll(/\bnode "\$\w+\/([^"]+\.[cm]?[jt]s)"/g)].map(([, file]) => `./${file}`);
}

/**
 * What a file imports, exports from, or runs as a program beside it: `new URL('./x.ts', import.meta.url)` or
 * `join(import.meta.dirname, 'x.ts')`.
 */
export function importsOf(text: string): string[] {
  const code = onlyParts(text, ['code', 'string']);
  const forms = [
    /\bfrom\s+'([^']+)'/g,
    /^import\s+'([^']+)'/gm,
    /\bimport\(\s*'([^']+)'\s*\)/g,
    /\bnew URL\(\s*'(\.[^']+\.(?:[cm]?[jt]s|sh))',\s*import\.meta\.url/g,
  ];
  const imported = forms.flatMap((form) => [...code.matchAll(form)].map(([, specifier = '']) => specifier));
  const beside = code.matchAll(/\bjoin\(import\.meta\.dirname,\s*'([^']+\.[cm]?[jt]s)'\)/g);
  return [...imported, ...[...beside].map(([, file]) => `./${file}`)];
}
