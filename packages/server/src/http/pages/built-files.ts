// The files that are built ahead of a start: the console, and in `reference/` the documentation of the APIs.

import { join } from 'node:path';
import type { FastifyReply } from 'fastify';
import { exists } from '../../runtime/files.ts';
import { pagePolicy } from './page-policy.ts';

export interface BuiltFiles {
  /** It is missing until the first build ends. */
  readonly folder: string;
  /** Whether a build is running that replaces the folder. */
  readonly isBuilding: () => boolean;
}

/** The message for an operator where the files are missing. */
export const howToBuild = 'run "npm run build" in the checkout';

export async function isBuilt({ folder, isBuilding }: BuiltFiles): Promise<boolean> {
  return !isBuilding() && (await exists(join(folder, 'index.html')));
}

/** The page until the files are built, without scripts and styles. */
export function sendUnbuilt(reply: FastifyReply, { isBuilding }: BuiltFiles): FastifyReply {
  const [refresh, text] = isBuilding()
    ? ['<meta http-equiv="refresh" content="1">', 'This page is being built. It reloads itself.']
    : ['', `This page is not built: ${howToBuild}, then reload it.`];
  return reply
    .code(503)
    .type('text/html; charset=utf-8')
    .header('content-security-policy', pagePolicy({ scripts: "'none'", styles: "'none'" }))
    .send(`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="color-scheme" content="light dark">${refresh}<title>OpenTill</title></head>
<body><h1>OpenTill</h1><p>${text}</p></body>
</html>
`);
}
