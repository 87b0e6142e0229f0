// Decodes what a caller sent as UTF-8 and nothing else: a replacement character would make different bytes equal.

import { isUtf8 } from 'node:buffer';
import type { ProblemEntry } from '@opentill/contract/errors.ts';
import { quoteValue } from '../domain/quoted-value.ts';

/** Returns undefined for bytes that are not UTF-8. */
export function decodeUtf8(bytes: Buffer): string | undefined {
  return isUtf8(bytes) ? bytes.toString() : undefined;
}

/** null: the value is not UTF-8. */
type FormText = string | null;

/** A parameter that was sent several times is an array. */
export type Form = Readonly<Record<string, FormText | readonly FormText[] | undefined>>;

/** Decodes a form, whatever charset its Content-Type names. A `%` without two hexadecimal digits stays as it is. */
export function parseForm(body: Buffer): Form {
  const pairs = body.toString('latin1').split('&').map(formPair);
  const values = [...Map.groupBy(pairs, ([name]) => name)].map(([name, same]) => {
    const texts = same.map(([, text]) => text);
    return [name, texts.length === 1 ? texts[0] : texts];
  });
  return Object.fromEntries(values);
}

function formPair(pair: string): [name: FormText, text: FormText] {
  const end = pair.includes('=') ? pair.indexOf('=') : pair.length;
  return [formText(pair.slice(0, end)), formText(pair.slice(end + 1))];
}

/** `encoded` has a character for each byte. */
function formText(encoded: string): FormText {
  const bytes = encoded
    .replaceAll('+', ' ')
    .replaceAll(/%([0-9a-f]{2})/gi, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)));
  return decodeUtf8(Buffer.from(bytes, 'latin1')) ?? null;
}

/** The first parameter in the query of a URL that is not percent-encoded UTF-8. */
export function undecodableParameter(url: string): ProblemEntry | undefined {
  const start = url.indexOf('?');
  if (start === -1 || !url.includes('%', start)) return undefined;
  const pair = url
    .slice(start + 1)
    .split('&')
    .find((text) => !isDecodable(text));
  if (pair === undefined) return undefined;
  const [name = '', ...value] = pair.split('=');
  return { path: name, message: `expected percent-encoded UTF-8, got ${quoteValue(value.join('='))}` };
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
