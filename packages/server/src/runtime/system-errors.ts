// The operating system's error codes.

/** Whether the operating system refused with one of these codes (`ENOENT`, `EACCES`, ...). */
export function isSystemError(error: unknown, ...codes: string[]): error is NodeJS.ErrnoException {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' && codes.includes(code);
}
