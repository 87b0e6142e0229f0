// Error codes of the operating system and of PostgreSQL.

/** Whether an error has one of these codes, such as `ENOENT` or an SQLSTATE. */
export function isSystemError(error: unknown, ...codes: string[]): error is NodeJS.ErrnoException {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' && codes.includes(code);
}

/** The hint that Node.js appends to the error of a certificate that it does not trust: it names none of our options. */
export const nodeTlsAdvice =
  /; if the root CA is installed locally, try running Node\.js with --use-system-ca/;
