// Reads DATABASE_URL, and decides whether its connection is protected (docs/deployment.md, "The database").

import { type ConnectionOptions, parse } from 'pg-connection-string';
import type { SettingReader } from './setting-reader.ts';
import { isLoopback } from './settings.ts';

export interface DatabaseSettings {
  /** undefined: the bundled PostgreSQL. */
  readonly databaseUrl: string | undefined;
  /** What the operator should know about the connection; undefined if nothing. */
  readonly databaseWarning: string | undefined;
}

/** `defaultHost`: PGHOST, which the driver uses for a URL without a host. */
export function readDatabaseSettings(
  reader: SettingReader,
  defaultHost: string | undefined,
): DatabaseSettings {
  const text = reader.secret('DATABASE_URL');
  if (text === undefined) return { databaseUrl: undefined, databaseWarning: undefined };
  const isUrl = /^postgres(?:ql)?:\/\/./.test(text) && URL.canParse(text.replace('@/', '@localhost/'));
  if (!isUrl) {
    reader.problems.push('DATABASE_URL: expected postgresql://user:password@host:port/database.');
    return { databaseUrl: undefined, databaseWarning: undefined };
  }
  const options = parsed(text);
  const isLocal = isThisMachine(options.host || defaultHost || 'localhost');
  if (!isLocal && !isAccepted(options)) {
    reader.problems.push(
      `DATABASE_URL: expected sslmode=verify-full for a database on another machine, or disable in a private network, got ${sslOf(options)}.`,
    );
  }
  return { databaseUrl: text, databaseWarning: isLocal ? undefined : weaknessOf(options) };
}

/** The driver's own reading of the URL, in which the last of several values wins; it reads files when it connects. */
function parsed(text: string): ConnectionOptions {
  const uselibpqcompat = /[?&]uselibpqcompat=true/.test(text);
  const readable = text.replaceAll(/([?&])(?:ssl(?:cert|key|rootcert)|uselibpqcompat)=[^&]*/g, '$1');
  return { ...parse(readable), uselibpqcompat };
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

function weaknessOf({ sslmode, uselibpqcompat }: ConnectionOptions): string | undefined {
  if (sslmode === 'disable') return 'DATABASE_URL: sslmode=disable leaves the connection unprotected';
  if (sslmode !== 'require' && sslmode !== 'verify-ca') return undefined;
  const unverified = sslmode === 'require' ? 'certificate' : 'host name';
  const what =
    uselibpqcompat === true
      ? `does not verify the ${unverified} of the database`
      : `will not verify the ${unverified} of the database with a later version of the driver`;
  return `DATABASE_URL: sslmode=${sslmode} ${what}; set sslmode=verify-full`;
}
