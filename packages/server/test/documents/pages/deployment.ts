// docs/deployment.md: free ports, because the default ports may be in use, and a data folder to back up.

import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Site } from '../site.ts';

export async function prepare(_site: Site, folder: string): Promise<Record<string, string>> {
  for (const path of ['var/lib/opentill', 'opt', 'etc/systemd/system'])
    await mkdir(join(folder, 'state', path), { recursive: true });
  return {
    OPENTILL_PORT: '0',
    OPENTILL_OPERATOR_PORT: '0',
    PAGE_STATE: join(folder, 'state'),
    REPOSITORY: 'https://git.store.example/opentill',
  };
}
