// Runs after `npm pack` of a workspace, in its folder, and undoes the changes of prepack.ts.

import { rename, rm } from 'node:fs/promises';

await rename('package.json.checkout', 'package.json');
await rm('LICENSE');
await rm('dist', { recursive: true });
