// Builds the DATABASE_URL of a process that uses the database of a test or a benchmark.

import type { ClientConfig } from 'pg';

/** The host may be the folder of a Unix socket. */
export function databaseUrlOf({ user, password, host, port, database }: ClientConfig): string {
  const credentials = `${user}:${encodeURIComponent(String(password))}`;
  return `postgresql://${credentials}@${encodeURIComponent(String(host))}:${port}/${database}`;
}
