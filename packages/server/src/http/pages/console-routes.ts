// Serves the console under /console/: the files of its bundle, and its index page for every other path, because the page
// itself resolves the paths.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Environment } from '../../domain/identifiers.ts';
import { dayMs } from '../../domain/time.ts';
import type { Randomness } from '../../runtime/randomness.ts';
import { nameOperation } from '../listener/observation.ts';
import { type BuiltFiles, isBuilt, sendUnbuilt } from './built-files.ts';
import { pagePolicy } from './page-policy.ts';

const prefix = '/console/';
const nonceBytes = 16;

/** The names of assets contain a hash of their content. */
const assetsMaxAgeMs = 365 * dayMs;

export interface ConsoleRoutes {
  readonly files: BuiltFiles;
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
  if (!(await isBuilt(files))) return sendUnbuilt(reply, files);
  const nonce = randomness.bytes(nonceBytes).toString('base64url');
  reply.headers({
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': pagePolicy({ scripts: "'self'", styles: `'self' 'nonce-${nonce}'` }),
    'referrer-policy': 'no-referrer',
  });
  const template = await readFile(join(files.folder, 'index.html'), 'utf8');
  return reply.send(consolePage(template, { environment, version, nonce }));
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
