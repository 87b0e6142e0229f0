// Runs after `npm pack` of a workspace, in its folder.

import { restoreWorkspace } from './pack-workspaces.ts';

await restoreWorkspace(process.cwd());
