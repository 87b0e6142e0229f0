// Opens pages in a real browser, for tests and for screenshots.

import { type Browser, type BrowserServer, chromium, type Page } from 'playwright-core';
import type { BrowserProgram } from './browser-program.ts';

export const sizes = {
  wide: { width: 1440, height: 900 },
  medium: { width: 1280, height: 800 },
  narrow: { width: 390, height: 844 },
} as const;

export interface PageOptions {
  readonly scheme?: 'light' | 'dark';
  readonly size?: keyof typeof sizes;
  /** The browser's time zone. */
  readonly timeZone?: string;
}

/** Far more than anything takes on a busy machine: it costs nothing when the condition is met. */
const waitMsMax = 120_000;

/** Calls that fail as they should: they are rejected, or nothing responds. */
const expectedFailure = /status of (?:400|401|404|409|503)|ERR_(?:CONNECTION_REFUSED|FAILED)/;

const launchOptions = ({ path, env }: BrowserProgram) => ({
  executablePath: path,
  // Containers run tests as root, for whom Chromium has no sandbox.
  args: ['--no-sandbox', '--disable-gpu', '--font-render-hinting=none'],
  env: { ...process.env, ...env },
});

export function launchBrowser(program: BrowserProgram): Promise<Browser> {
  return chromium.launch(launchOptions(program));
}

/** A browser that other processes connect to. */
export function launchBrowserServer(program: BrowserProgram): Promise<BrowserServer> {
  return chromium.launchServer(launchOptions(program));
}

/** A page with its own cookies. Disposing of it throws if a script of it has failed or violated the Content-Security-Policy. */
export async function openPage(
  browser: Browser,
  { scheme = 'light', size = 'medium', timeZone = 'UTC' }: PageOptions = {},
): Promise<Page> {
  const context = await browser.newContext({
    colorScheme: scheme,
    viewport: sizes[size],
    reducedMotion: 'reduce',
    timezoneId: timeZone,
  });
  context.setDefaultTimeout(waitMsMax);
  const page = await context.newPage();
  const failures: string[] = [];
  page.on('pageerror', (error) => failures.push(error.message));
  page.on('console', (message) => {
    const text = message.text();
    if (message.type() === 'error' && !expectedFailure.test(text)) failures.push(text);
  });
  const close = async (): Promise<void> => {
    await context.close();
    if (failures.length > 0) throw new Error(`Expected no failures on the page, got ${failures.join('\n')}`);
  };
  return Object.assign(page, { [Symbol.asyncDispose]: close });
}

/** Switches the color scheme of the system, and returns when the page has followed. */
export async function showScheme(page: Page, colorScheme: 'dark' | 'light'): Promise<void> {
  await page.emulateMedia({ colorScheme });
  await page.locator(`[data-mantine-color-scheme="${colorScheme}"]`).waitFor();
}
