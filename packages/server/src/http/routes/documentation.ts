// Everything under /docs of the operator listener: the reference of all APIs, their OpenAPI document and the page that
// problem types link to. No key is required, because all of it is public in this repository.

import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance } from 'fastify';
import type { OpenAPIV3_1 } from 'openapi-types';
import { nameOperation } from '../listener/observation.ts';
import { openApiDocument } from '../openapi/document.ts';
import { registerProblemsPage } from './problems-page.ts';

const prefix = '/docs';

/** Swagger UI sets styles on elements and has its icons in data URLs. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Hides the controls for making calls. */
const readingStyle = '.scheme-container, .authorization__btn { display: none !important }';

export async function registerDocumentation(server: FastifyInstance): Promise<void> {
  server.addHook('onRequest', nameOperation('docs'));
  server.addHook('onSend', (_request, reply, payload, done) => {
    reply.header('content-security-policy', contentSecurityPolicy);
    // Swagger UI's files allow caching, but an upgraded server serves new files under the same names.
    reply.header('cache-control', 'no-store');
    done(null, payload);
  });
  // Generated at the first request, because it would take a good part of the start.
  let document: OpenAPIV3_1.Document;
  await server.register(swagger, { openapi: {}, transformObject: () => document });
  await server.register(swaggerUi, {
    routePrefix: prefix,
    uiHooks: {
      async onRequest() {
        document ??= await openApiDocument();
      },
    },
    theme: { title: 'OpenTill: the APIs', css: [{ filename: 'reading.css', content: readingStyle }] },
    uiConfig: {
      // Calls from here would need CORS on the public listener, and a key in the browser.
      supportedSubmitMethods: [],
      layout: 'BaseLayout',
      docExpansion: 'list',
      defaultModelsExpandDepth: 0,
    },
  });
  registerProblemsPage(server);
}
