// Runs after `npm pack` of a workspace, in its folder: the checkout is again what it was.

import { rename, rm } from 'node:fs/promises';

await rename('package.json.checkout', 'package.json');
await rm('LICENSE');
await rm('dist', { recursive: true });
