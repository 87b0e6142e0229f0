// The time of the server: the clock of the browser may be wrong.

let offsetMs = 0;

/** Takes the Date header of a response, which is exact to a second. */
export function noteServerDate(date: string | null): void {
  const serverMs = Date.parse(date ?? '');
  if (!Number.isNaN(serverMs)) offsetMs = serverMs - Date.now();
}

/** In ms, as of the latest response. */
export function serverNow(): number {
  return Date.now() + offsetMs;
}

/** In ms, since an instant of the clock of the browser. */
export function elapsedSince(ms: number): number {
  return Date.now() - ms;
}
