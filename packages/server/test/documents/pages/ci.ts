// docs/ci.md: the project whose tests run.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Site } from '../site.ts';

export async function prepare(_site: Site, folder: string): Promise<Record<string, string>> {
  const test = 'opentill product put $PACKAGE_NAME coins --type oneTime --price 199 --currency EUR';
  await writeFile(join(folder, 'package.json'), JSON.stringify({ scripts: { test } }));
  return {};
}
