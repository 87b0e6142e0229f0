// How the last attempt of a delivery ended, in a few words.

interface Attempt {
  readonly httpStatus?: number | undefined;
  readonly failure?: string | undefined;
}

export function lastResponseOf({ attempts }: { readonly attempts: readonly Attempt[] }): string {
  const last = attempts.at(-1);
  if (last === undefined) return 'not attempted';
  return last.httpStatus === undefined ? wordsOf(last.failure ?? 'no response') : `HTTP ${last.httpStatus}`;
}

/** A code such as connectionRefused, as words. */
function wordsOf(code: string): string {
  return code.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}
