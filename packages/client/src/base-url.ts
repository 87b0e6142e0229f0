// Where a server is, and how the path of a call is made. Values may come from an app on somebody's device: none
// of them may make a call into another one.

import { OpenTillError } from './opentill-error.ts';

const loopback = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;

/**
 * `iap.example.com` and `https://iap.example.com` are the same. A secret goes out with each call: plain http is
 * for this machine alone, unless it is allowed.
 * @throws TypeError for what names no server.
 */
export function baseUrl(host: string, allowsHttp: boolean): string {
  const text = host.includes('://') ? host : `https://${host}`;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isBare = url?.username === '' && url.password === '' && url.search === '' && url.hash === '';
  if (url === undefined || !isBare || !/^https?:$/.test(url.protocol)) {
    throw new TypeError(
      'host: expected a host such as iap.example.com, or an address that begins with https://',
    );
  }
  if (url.protocol === 'http:' && !allowsHttp && !loopback.test(url.hostname)) {
    throw new TypeError('host: expected https, or allowHttp where the network can be trusted with secrets');
  }
  return url.origin + url.pathname.replace(/\/$/, '');
}

export type Values = Readonly<Record<string, unknown>>;

/** A line such as `GET /apps/:packageName`, taken apart. */
interface PathForm {
  readonly method: string;
  /** What stands before the first value. */
  readonly start: string;
  readonly values: readonly { readonly name: string; readonly textAfter: string }[];
}

const pathForms = new Map<string, PathForm>();

/** `line` has to be one of a table: what it says is remembered. */
export function pathForm(line: string): PathForm {
  const known = pathForms.get(line);
  if (known !== undefined) return known;
  const [method = '', path = ''] = line.split(' ');
  const [start = '', ...parts] = path.split(/:(\w+)/);
  const values = parts.flatMap((name, index) =>
    index % 2 ? [] : { name, textAfter: parts[index + 1] ?? '' },
  );
  const form = { method, start, values };
  pathForms.set(line, form);
  return form;
}

/** The path of a call with its values. */
export function fillPath(operation: string, { start, values }: PathForm, parameters: Values): string {
  let path = start;
  for (const { name, textAfter } of values) {
    const value = String(parameters[name] ?? '');
    if (value === '') throw new OpenTillError(operation, `${name}: expected a value`, { code: 9000 });
    // A URL does without such a part, however it is encoded: the call would be another one. No id is one.
    if (value === '.' || value === '..')
      throw new OpenTillError(operation, `${name}: no id is "${value}"`, { code: 9001 });
    path += encodeURIComponent(value.toWellFormed()) + textAfter;
  }
  return path;
}

/** `?name=value`, of what is not undefined. */
export function queryOf(values: readonly (readonly [string, unknown])[]): string {
  const entries = values.filter(([, value]) => value !== undefined);
  return entries.length === 0
    ? ''
    : `?${new URLSearchParams(entries.map(([name, value]) => [name, String(value)]))}`;
}
