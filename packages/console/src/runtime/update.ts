// Finds out whether the server serves another console than this page, which then has to be loaded again.

const scriptPattern = /src="(\/console\/assets\/index-[^"]+)"/;

/** The check costs one small public page, which does not keep a session alive. */
const checkEveryMs = 60_000;

async function isOutdated(): Promise<boolean> {
  try {
    const response = await fetch('/console/', { cache: 'no-store', credentials: 'omit' });
    const [, script] = scriptPattern.exec(await response.text()) ?? [];
    return script !== undefined && document.querySelector(`script[src="${script}"]`) === null;
  } catch {
    // The server is away; the calls of the page report that.
    return false;
  }
}

/** Whether a form has content that a reload would lose. */
function hasContent(): boolean {
  const fields = document.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>(
    'form :is(input, textarea)',
  );
  return [...fields].some(({ value }) => value !== '');
}

/** Reloads an outdated page, or calls `ask` if a form has content. Returns the function that stops it. */
export function reloadAfterUpdate(ask: () => void): () => void {
  const check = async (): Promise<void> => {
    if (document.hidden || !(await isOutdated())) return;
    if (hasContent()) ask();
    else location.reload();
  };
  const onEvent = (): void => void check();
  const timer = setInterval(onEvent, checkEveryMs);
  document.addEventListener('visibilitychange', onEvent);
  // A page whose file was removed by the update.
  addEventListener('vite:preloadError', onEvent);
  return () => {
    clearInterval(timer);
    document.removeEventListener('visibilitychange', onEvent);
    removeEventListener('vite:preloadError', onEvent);
  };
}
