// Error codes of the operating system and of PostgreSQL.

/** Whether an error has one of these codes, such as `ENOENT` or an SQLSTATE. */
export function isSystemError(error: unknown, ...codes: string[]): error is NodeJS.ErrnoException {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' && codes.includes(code);
}
