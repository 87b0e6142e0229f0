// Builds URLs and paths. Values may come from an app on a device, so no value may turn a call into another one.

import { OpenTillError } from './opentill-error.ts';

/** Whether only this machine can reach the host name of a URL. */
export function isLoopback(hostname: string): boolean {
  return /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname);
}

/**
 * Accepts `iap.example.com`, `https://iap.example.com` and either with `/v2` at its end, which is dropped because each path
 * begins with it. Each call sends a secret, so plain http is only for loopback unless it is allowed.
 * @throws TypeError for an invalid host
 */
export function baseUrl(host: string, allowsHttp: boolean): string {
  const text = host.includes('://') ? host : `https://${host}`;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isBare = url?.username === '' && url.password === '' && url.search === '' && url.hash === '';
  if (url === undefined || !isBare || !/^https?:$/.test(url.protocol)) {
    throw new TypeError('host: expected a host such as iap.example.com, or a URL that starts with https://');
  }
  if (url.protocol === 'http:' && !allowsHttp && !isLoopback(url.hostname)) {
    throw new TypeError('host: expected https, or allowHttp on a trusted network');
  }
  return url.origin + url.pathname.replace(/(?:\/v2)?\/?$/, '');
}

export type Values = Readonly<Record<string, unknown>>;

/** Inserts the values of a call into its path, in which `:name` is a parameter. */
export function fillPath(operation: string, path: string, parameters: Values): string {
  return path.replace(/:(\w+)/g, (_, name: string) => {
    const value = String(parameters[name] ?? '');
    if (value === '') throw new OpenTillError(operation, `${name}: expected a value`, { code: 9000 });
    // URL parsers remove such a segment even if it is encoded, which would make it another call.
    if (value === '.' || value === '..')
      throw new OpenTillError(operation, `${name}: "${value}" is not a valid id`, { code: 9001 });
    return encodeURIComponent(value.toWellFormed());
  });
}

/** Builds a query string from the values that are not undefined. */
export function queryOf(values: readonly (readonly [string, unknown])[]): string {
  const entries = values.filter(([, value]) => value !== undefined);
  return entries.length === 0
    ? ''
    : `?${new URLSearchParams(entries.map(([name, value]): [string, string] => [name, String(value)]))}`;
}
