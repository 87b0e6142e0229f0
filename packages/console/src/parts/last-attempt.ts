// How the last attempt of a delivery ended, in a few words.

interface Attempt {
  readonly httpStatus?: number | undefined;
  readonly failure?: string | undefined;
}

export function lastResponseOf({ attempts }: { readonly attempts: readonly Attempt[] }): string {
  const last = attempts.at(-1);
  if (last === undefined) return 'not attempted';
  return last.httpStatus === undefined ? (last.failure ?? 'no response') : `HTTP ${last.httpStatus}`;
}
