// Reads DATABASE_URL, and decides whether its connection is protected (docs/settings.md).

import { type ConnectionOptions, parse } from 'pg-connection-string';
import type { SettingReader } from './setting-reader.ts';
import { isLoopback } from './settings.ts';

export interface DatabaseSettings {
  /** undefined: the bundled PostgreSQL. */
  readonly databaseUrl: string | undefined;
  /** A warning about the connection; undefined if there is none. */
  readonly databaseWarning: string | undefined;
}

/** `defaultHost`: PGHOST, which the driver uses for a URL without a host. */
export function readDatabaseSettings(
  reader: SettingReader,
  defaultHost: string | undefined,
): DatabaseSettings {
  const text = reader.secret('DATABASE_URL');
  const none = { databaseUrl: undefined, databaseWarning: undefined };
  if (text === undefined) return none;
  const strict = withStrictModes(text);
  const options = problemOfForm(strict) ?? parsed(strict);
  const problem = typeof options === 'string' ? options : problemOf(options, defaultHost);
  if (problem !== undefined) reader.problems.push(`DATABASE_URL: ${problem}.`);
  if (typeof options === 'string') return none;
  const isLocal = isThisMachine(hostOf(options, defaultHost));
  return { databaseUrl: strict, databaseWarning: isLocal ? undefined : weaknessOf(options) };
}

const urlExpected = 'expected postgresql://user:password@host:port/database';

/** The driver would take a part of a password for the host, so the form is checked first. No message repeats the value. */
function problemOfForm(text: string): string | undefined {
  const [, rest] = /^postgres(?:ql)?:\/\/(.+)$/s.exec(text) ?? [];
  if (rest === undefined) return urlExpected;
  const [authority = ''] = rest.split(/[/?#]/, 1);
  const [host = '', ...before] = authority.split('@').reverse();
  if (before.length > 1 || rest.slice(authority.length).includes('@')) {
    return `${urlExpected} with one @: encode others as %40, and / ? # of a password as %2F %3F %23`;
  }
  if (host.includes(',') || /[?&]host=[^&]*(?:,|%2c)/i.test(rest)) {
    return 'expected one host, got several: use an address that leads to the primary';
  }
  return URL.canParse(text.replace('@/', '@localhost/')) ? undefined : urlExpected;
}

/**
 * The driver verifies as strictly with `require` and `verify-ca` as with `verify-full`, but its next version will not:
 * they stay strict unless the URL asks for the meaning that they have elsewhere.
 */
function withStrictModes(text: string): string {
  return isCompatible(text)
    ? text
    : text.replaceAll(/(?<=[?&]sslmode=)(?:require|verify-ca)(?=&|$)/g, 'verify-full');
}

const isCompatible = (text: string): boolean => /[?&]uselibpqcompat=true/.test(text);

/** The driver's own reading of the URL, in which the last of several values wins; it reads files when it connects. */
function parsed(text: string): ConnectionOptions | string {
  const readable = text.replaceAll(/([?&])(?:ssl(?:cert|key|rootcert)|uselibpqcompat)=[^&]*/g, '$1');
  try {
    return { ...parse(readable), uselibpqcompat: isCompatible(text) };
  } catch {
    return `${urlExpected}, percent-encoded as UTF-8`;
  }
}

/** Parameters that the driver or PostgreSQL applies. It ignores others, or they replace what the server sets. */
const supportedParameters: ReadonlySet<string> = new Set([
  ...['user', 'password', 'host', 'port', 'database', 'application_name', 'options'],
  ...['ssl', 'sslmode', 'sslrootcert', 'sslcert', 'sslkey', 'sslnegotiation', 'uselibpqcompat'],
]);

function problemOf(options: ConnectionOptions, defaultHost: string | undefined): string | undefined {
  const unsupported = Object.keys(options).find((name) => name !== '' && !supportedParameters.has(name));
  if (unsupported !== undefined) return `the parameter ${unsupported} is not supported: remove it`;
  const host = hostOf(options, defaultHost);
  if (isThisMachine(host) || isAccepted(options)) return undefined;
  return `expected sslmode=verify-full for the database on ${host}, or disable in a private network, got ${sslOf(options)}`;
}

function hostOf({ host }: ConnectionOptions, defaultHost: string | undefined): string {
  return host || defaultHost || 'localhost';
}

/** A host that starts with a slash is the folder of a Unix socket. */
function isThisMachine(host: string): boolean {
  return host.startsWith('/') || isLoopback(host);
}

const acceptedModes: ReadonlySet<unknown> = new Set(['disable', 'require', 'verify-ca', 'verify-full']);

/** Without sslmode, `ssl=true` verifies the certificate and the host name. */
function isAccepted({ sslmode, ssl }: ConnectionOptions): boolean {
  return sslmode === undefined ? ssl === true : acceptedModes.has(sslmode);
}

function sslOf({ sslmode, ssl }: ConnectionOptions): string {
  if (sslmode !== undefined) return `sslmode=${sslmode}`;
  return ssl === undefined ? 'no sslmode' : `ssl=${ssl}`;
}

function weaknessOf({ sslmode }: ConnectionOptions): string | undefined {
  if (sslmode === 'disable') return 'DATABASE_URL: sslmode=disable leaves the connection unprotected';
  if (sslmode !== 'require' && sslmode !== 'verify-ca') return undefined;
  const unverified = sslmode === 'require' ? 'certificate' : 'host name';
  return `DATABASE_URL: sslmode=${sslmode} does not verify the ${unverified} of the database; set sslmode=verify-full`;
}
