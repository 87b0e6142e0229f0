// Everything under /docs: the reference of the APIs, their OpenAPI document, the guides and the page that problem types link
// to. The operator listener serves it, and the public listener for developers if the developer API is open. No key is required,
// because all of it is public in this repository.

import { join } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance } from 'fastify';
import { minuteMs } from '../../domain/time.ts';
import { nameOperation } from '../listener/observation.ts';
import { type BuiltFiles, isBuilt, sendUnbuilt } from './built-files.ts';
import { pagePolicy } from './page-policy.ts';

const prefix = '/docs';

/** An upgraded server serves new content under the same paths. */
const maxAgeMs = 5 * minuteMs;

/** The renderer of the reference sets styles on elements. */
const policy = pagePolicy({ scripts: "'self'", styles: "'self' 'unsafe-inline'" });

/** The readers of the documentation, which has the APIs that they may call. */
export type Audience = 'developer' | 'productionDeveloper' | 'productionOperator' | 'sandboxOperator';

export async function registerDocumentation(
  server: FastifyInstance,
  { files, audience }: { readonly files: BuiltFiles; readonly audience: Audience },
): Promise<void> {
  server.addHook('onRequest', nameOperation('docs'));
  server.addHook('onRequest', async (_request, reply) => {
    reply.headers({ 'x-content-type-options': 'nosniff', 'content-security-policy': policy });
    if (!(await isBuilt(files))) return sendUnbuilt(reply, files);
  });
  server.addHook('onSend', (_request, reply, payload, done) => {
    if (reply.statusCode < 400) reply.header('cache-control', `public, max-age=${maxAgeMs / 1_000}`);
    done(null, payload);
  });
  const pages = {
    [prefix]: `${audience}.html`,
    [`${prefix}/`]: `${audience}.html`,
    [`${prefix}/json`]: `${audience}.json`,
    // The path of all problem types.
    [`${prefix}/problems`]: 'problems.html',
  };
  const own = new Set(Object.values(pages));
  await server.register(fastifyStatic, {
    root: join(files.folder, 'reference'),
    prefix: `${prefix}/`,
    allowedPath: (path) => /^\/(?:static|guides)\/[\w.-]+$/.test(path) || own.has(path.replace('/', '')),
    preCompressed: true,
    cacheControl: false,
    index: false,
  });
  for (const [path, file] of Object.entries(pages)) {
    server.get(path, (_request, reply) => reply.sendFile(file));
  }
}
