// Serves the console under /console/: the files of its bundle, and its index page for every other path, because the page
// itself resolves the paths.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Environment } from '../../domain/identifiers.ts';
import { dayMs } from '../../domain/time.ts';
import type { Randomness } from '../../runtime/randomness.ts';
import { isSystemError } from '../../runtime/system-errors.ts';
import { nameOperation } from '../listener/observation.ts';
import { pagePolicy } from '../page-policy.ts';

/** The built console. */
export interface ConsoleFiles {
  /** The folder of the bundle; it may be missing. */
  readonly folder: string;
  /** Whether a build is running that replaces the folder. */
  readonly isBuilding: () => boolean;
}

const prefix = '/console/';
const nonceBytes = 16;

/** The names of assets contain a hash of their content. */
const assetsMaxAgeMs = 365 * dayMs;

export interface ConsoleRoutes {
  readonly files: ConsoleFiles;
  readonly environment: Environment;
  readonly version: string;
  readonly randomness: Randomness;
}

export async function registerConsole(server: FastifyInstance, routes: ConsoleRoutes): Promise<void> {
  const { folder } = routes.files;
  server.addHook('onRequest', nameOperation('console'));
  await server.register(fastifyStatic, {
    root: join(folder, 'assets'),
    prefix: `${prefix}assets/`,
    decorateReply: false,
    preCompressed: true,
    immutable: true,
    maxAge: assetsMaxAgeMs,
    index: false,
  });
  for (const path of ['/', '/console']) {
    server.get(path, (_request, reply) => reply.redirect(prefix));
  }
  server.get(`${prefix}*`, (_request, reply) => sendPage(reply, routes));
}

async function sendPage(
  reply: FastifyReply,
  { files, environment, version, randomness }: ConsoleRoutes,
): Promise<FastifyReply> {
  const nonce = randomness.bytes(nonceBytes).toString('base64url');
  reply.headers({
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': pagePolicy({ scripts: "'self'", styles: `'self' 'nonce-${nonce}'` }),
    'referrer-policy': 'no-referrer',
  });
  const isBuilding = files.isBuilding();
  const template = isBuilding ? undefined : await findText(join(files.folder, 'index.html'));
  if (template === undefined) return reply.code(503).send(unbuiltPage(isBuilding));
  return reply.send(consolePage(template, { environment, version, nonce }));
}

async function findText(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch((error: unknown) => {
    if (isSystemError(error, 'ENOENT')) return undefined;
    throw error;
  });
}

interface PageValues {
  readonly environment: Environment;
  readonly version: string;
  readonly nonce: string;
}

/** None of the values contains a character that HTML reserves. */
function consolePage(template: string, values: PageValues): string {
  return template.replaceAll(
    /\{\{(environment|version|nonce)\}\}/g,
    (_, name: keyof PageValues) => values[name],
  );
}

/** The page until the bundle is built, without scripts and styles. */
function unbuiltPage(isBuilding: boolean): string {
  const [refresh, text] = isBuilding
    ? ['<meta http-equiv="refresh" content="1">', 'The console is being built. This page reloads itself.']
    : ['', 'The console is not built. Run <code>npm run console:build</code>, then reload this page.'];
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="color-scheme" content="light dark">${refresh}<title>OpenTill</title></head>
<body><h1>OpenTill</h1><p>${text}</p></body>
</html>
`;
}
