// The file of --env-file, as systemd reads an EnvironmentFile (systemd.exec). What a shell that runs the file would read
// differently is refused, so that a file has one meaning.

import { readFile } from 'node:fs/promises';
import { type CommandContext, UsageProblem } from './command-context.ts';

type Variables = Readonly<Record<string, string>>;

/**
 * Reads the variables of a file.
 * @throws UsageProblem if the file cannot be read, or if the environment has another value of a variable.
 */
export async function readEnvFile(path: string, env: CommandContext['env']): Promise<Variables> {
  const variables = parseEnvFile(await readText(path), path);
  const others = Object.keys(variables).filter((name) => (env[name] ?? variables[name]) !== variables[name]);
  if (others.length === 0) return variables;
  throw new UsageProblem(
    `--env-file: ${path} and the environment have different values of ${others.join(', ')}: unset or remove one.`,
  );
}

async function readText(path: string): Promise<string> {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(await readFile(path));
  } catch (error) {
    throw new UsageProblem(`--env-file: ${path}: ${(error as Error).message}.`);
  }
}

const emptyOrComment = /[ \t]*(?:#[^\n]*(?<!\\))?(?:\n|$)/y;
const nameOfValue = /[ \t]*([A-Za-z_][A-Za-z0-9_]*)=/y;
const quotedPart = /'([^']*)'|"((?:[^"\\$`]|\\.)*)"/sy;
const unquotedPart = /(?:[^ \t\n'"\\|&;<>()$`~]|\\.)+/sy;
const lineEnd = /[ \t]*(?:\n|$)/y;

/** The last of several values of a variable is its value. */
export function parseEnvFile(text: string, path: string): Variables {
  const variables: [name: string, value: string][] = [];
  let at = 0;
  const take = (pattern: RegExp) => {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (match !== null) at += match[0].length;
    return match;
  };
  const problem = (place: number, reason: string) => {
    const line = text.slice(0, place).split('\n').length;
    return new UsageProblem(`--env-file: ${path}, line ${line}: ${reason}.`);
  };
  const control = /[\0\r]/.exec(text);
  if (control !== null) throw problem(control.index, 'expected lines that end with LF alone, got CR or NUL');
  while (at < text.length) {
    const start = at;
    if (take(emptyOrComment) !== null) continue;
    const [, name] = take(nameOfValue) ?? [];
    if (name === undefined) throw problem(start, reasonOfLine(text.slice(start)));
    let value = '';
    for (let part = take(quotedPart); part !== null; part = take(quotedPart)) value += unescaped(part);
    const [unquoted = ''] = take(unquotedPart) ?? [];
    if (take(lineEnd) === null) throw problem(start, `${name}: ${reasonOfValue(text.slice(at), unquoted)}`);
    variables.push([name, value + withoutBackslashes(unquoted)]);
  }
  return Object.fromEntries(variables);
}

/** In double quotes, a backslash before any other character is a backslash. */
function unescaped([, single, double = '']: RegExpExecArray): string {
  return single ?? double.replaceAll(/\\["\\$`\n]/g, withoutBackslashes);
}

/** A line that ends with a backslash continues on the next one. */
function withoutBackslashes(text: string): string {
  return text.replaceAll(/\\(.)/gs, (_, character) => (character === '\n' ? '' : character));
}

function reasonOfLine(rest: string): string {
  if (/^[ \t]*#/.test(rest))
    return 'expected a comment that does not end with a backslash, which would continue it';
  if (/^[ \t]*;/.test(rest)) return 'expected a comment to start with #, because ; is one for systemd only';
  return 'expected NAME=value, without export and without spaces around =';
}

/** `rest` starts with the first character that is not part of the value. */
function reasonOfValue(rest: string, unquoted: string): string {
  const [character = ''] = rest;
  if (character === '\\') return 'expected a character after the last backslash';
  if (unquoted === '' && character === '"')
    return 'expected a closing ", and a backslash before each $ and ` in double quotes';
  if (unquoted === '' && character === "'") return "expected a closing '";
  return `expected quotes around the whole value, because systemd and a shell read ${JSON.stringify(character)} differently without them`;
}
