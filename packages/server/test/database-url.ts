// The DATABASE_URL of a process that works on the database of a test or a benchmark.

import type { ClientConfig } from 'pg';

/** A host may be the folder of a Unix socket. */
export function databaseUrlOf({ user, password, host, port, database }: ClientConfig): string {
  const credentials = `${user}:${encodeURIComponent(String(password))}`;
  return `postgresql://${credentials}@${encodeURIComponent(String(host))}:${port}/${database}`;
}
