// The browser of the tests: that of OPENTILL_TEST_BROWSER, or on Linux x64 the one that npm installed, which brings its
// libraries and fonts.

import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../../', import.meta.url));

const cache = join(root, 'node_modules/.cache/opentill-browser');

export interface BrowserProgram {
  readonly path: string;
  /** Added to the environment of the browser, and of nothing else. */
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Unpacks the browser unless that was done before.
 * @throws Error if there is none for this machine.
 */
export async function requireBrowser(): Promise<BrowserProgram> {
  const chosen = process.env['OPENTILL_TEST_BROWSER'];
  if (chosen !== undefined) return { path: chosen, env: {} };
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    throw new Error(
      `No browser for ${process.platform}-${process.arch}: set OPENTILL_TEST_BROWSER to the path of a Chromium.`,
    );
  }
  const folder = join(cache, await installedVersion());
  const fontSettings = join(folder, 'fonts.conf');
  // Written last, after everything else was unpacked.
  if ((await readFile(fontSettings).catch(() => undefined)) === undefined) await unpack(folder);
  return {
    path: join(folder, 'chromium'),
    env: { LD_LIBRARY_PATH: join(folder, 'al2023/lib'), FONTCONFIG_FILE: fontSettings },
  };
}

async function installedVersion(): Promise<string> {
  const manifest = await readFile(join(root, 'node_modules/@sparticuz/chromium/package.json'), 'utf8');
  const { version } = JSON.parse(manifest) as { version: string };
  return version;
}

async function unpack(folder: string): Promise<void> {
  await mkdir(cache, { recursive: true });
  const draft = await mkdtemp(join(cache, 'draft-'));
  const temporary = process.env['TMPDIR'];
  // The package unpacks into the temporary folder.
  process.env['TMPDIR'] = draft;
  try {
    const { default: chromium, inflate } = await import('@sparticuz/chromium');
    await chromium.executablePath();
    // By itself, the package unpacks its libraries only where it knows that they are missing.
    await inflate(join(root, 'node_modules/@sparticuz/chromium/bin/al2023.tar.br'));
    await writeFile(join(draft, 'fonts.conf'), fontSettingsFor(folder));
    await rm(folder, { recursive: true, force: true });
    await rename(draft, folder);
  } finally {
    if (temporary === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = temporary;
    await rm(draft, { recursive: true, force: true });
  }
}

/** Prefers fonts that are the same on every machine. The settings of the package name folders that do not exist here. */
function fontSettingsFor(folder: string): string {
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>${join(folder, 'fonts')}</dir>
  <dir>/usr/share/fonts</dir>
  <cachedir>${join(folder, 'fonts-cache')}</cachedir>
  <alias binding="same"><family>sans-serif</family><prefer><family>Open Sans</family></prefer></alias>
</fontconfig>
`;
}
