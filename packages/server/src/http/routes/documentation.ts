// Everything under /docs of the operator listener: the reading page of all APIs, their OpenAPI document and the page
// that problems refer to. No key is required, because it contains only what this repository contains.

import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance } from 'fastify';
import type { OpenAPIV3_1 } from 'openapi-types';
import { openApiDocument } from '../openapi/document.ts';
import { problemsPage } from './problems-page.ts';

const prefix = '/docs';

/**
 * Scripts and the document come from this listener alone. Swagger UI sets styles on elements and draws its
 * icons from data URLs.
 */
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

/** Without what is there to make calls: this page is for reading. */
const readingStyle = '.scheme-container, .authorization__btn { display: none !important }';

export async function registerDocumentation(server: FastifyInstance): Promise<void> {
  server.addHook('onRequest', (request, _reply, done) => {
    request.call.operationId = 'docs';
    done();
  });
  server.addHook('onSend', (_request, reply, payload, done) => {
    reply.header('content-security-policy', contentSecurityPolicy);
    // The files of the page ask to be kept; an upgraded server brings other ones under the same names.
    reply.header('cache-control', 'no-store');
    done(null, payload);
  });
  // Made for the first visitor: it would take a good part of the start of a server.
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
      // For reading: the public listener answers no page of another origin, and no key belongs in here.
      supportedSubmitMethods: [],
      layout: 'BaseLayout',
      docExpansion: 'list',
      defaultModelsExpandDepth: 0,
    },
  });
  const page = problemsPage();
  server.get(`${prefix}/problems`, (_request, reply) => reply.type('text/html; charset=utf-8').send(page));
}
