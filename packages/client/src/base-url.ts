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

/** The path of `line` (`GET /apps/:packageName`) with its values, and the values that are left. */
export function fillPath(operation: string, line: string, values: Values): { path: string; rest: Values } {
  const rest: Record<string, unknown> = { ...values };
  const path = line.slice(line.indexOf('/')).replace(/:(\w+)/g, (_, name: string) => {
    const value = String(values[name] ?? '');
    delete rest[name];
    if (value === '') throw new OpenTillError(operation, `${name}: expected a value`, { code: 9000 });
    // A URL does without such a part, however it is encoded: the call would be another one. No id is one.
    if (/^\.\.?$/.test(value))
      throw new OpenTillError(operation, `${name}: no id is "${value}"`, { code: 9001 });
    return encodeURIComponent(value.toWellFormed());
  });
  return { path, rest };
}

/** `?name=value`, of what is not undefined. */
export function queryOf(values: Values): string {
  const entries = Object.entries(values).filter(([, value]) => value !== undefined);
  return entries.length === 0
    ? ''
    : `?${new URLSearchParams(entries.map(([name, value]) => [name, String(value)]))}`;
}
