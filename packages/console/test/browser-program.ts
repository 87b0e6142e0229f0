// The browser of the tests: that of OPENTILL_TEST_BROWSER, or on Linux x64 the one that npm installed.

import { access, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../../', import.meta.url));

export interface BrowserProgram {
  readonly path: string;
  /** Prefers fonts that are the same on every machine; undefined: the fonts of the machine. */
  readonly fontSettings: string | undefined;
}

/** Unpacks the browser unless that was done before; undefined if there is none for this machine. */
export async function findBrowser(): Promise<BrowserProgram | undefined> {
  const chosen = process.env['OPENTILL_TEST_BROWSER'];
  if (chosen !== undefined) return { path: chosen, fontSettings: undefined };
  if (process.platform !== 'linux' || process.arch !== 'x64') return undefined;
  const folder = await browserFolder();
  // The package unpacks to a fixed name in the temporary folder, and runs whatever it finds there.
  const temporary = process.env['TMPDIR'];
  process.env['TMPDIR'] = folder;
  try {
    const { default: chromium } = await import('@sparticuz/chromium');
    const path = await chromium.executablePath();
    await access(path);
    return { path, fontSettings: await writeFontSettings(folder) };
  } finally {
    if (temporary === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = temporary;
  }
}

async function browserFolder(): Promise<string> {
  const manifest = await readFile(join(root, 'node_modules/@sparticuz/chromium/package.json'), 'utf8');
  const { version } = JSON.parse(manifest) as { version: string };
  const folder = join(root, 'node_modules/.cache/opentill-browser', version);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  return folder;
}

/** The settings of the package name fixed folders, in which there are no fonts here. */
async function writeFontSettings(folder: string): Promise<string> {
  const path = join(folder, 'fonts.conf');
  const settings = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>${join(folder, 'fonts')}</dir>
  <dir>/usr/share/fonts</dir>
  <cachedir>${join(folder, 'fonts-cache')}</cachedir>
  <alias binding="same"><family>sans-serif</family><prefer><family>Open Sans</family></prefer></alias>
</fontconfig>
`;
  await writeFile(path, settings);
  return path;
}
