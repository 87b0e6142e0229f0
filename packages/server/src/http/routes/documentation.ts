// Everything under /docs of the operator listener: the reference of all APIs, their OpenAPI document and the page that
// problem types link to. No key is required, because all of it is public in this repository.

import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import { errors } from '@opentill/contract/errors.ts';
import type { FastifyInstance } from 'fastify';
import type { OpenAPIV3_1 } from 'openapi-types';
import { nameOperation } from '../listener/observation.ts';
import { openApiDocument } from '../openapi/document.ts';

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

/** The path of all problem types. */
const path = '/docs/problems';

/** Served by each listener whose APIs send problem details. */
export function registerProblemsPage(server: FastifyInstance): void {
  const page = problemsPage();
  server.get(path, (_request, reply) =>
    reply.type('text/html; charset=utf-8').header('content-security-policy', "default-src 'none'").send(page),
  );
}

/** A page without scripts and styles, which the Content-Security-Policy forbids. */
function problemsPage(): string {
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>OpenTill: errors</title></head>
<body>
<h1>Errors</h1>
<p>The purchase and events APIs respond with <code>{"error":{"code":...,"message":"..."}}</code>, the operator and
sandbox APIs with RFC 9457 problem details of the given type. On the public listener, problem details also carry
<code>error</code>. The message of a response can be more specific than the title here.</p>
${sections().join('\n')}
</body>
</html>
`;
}

function sections(): string[] {
  return Object.entries(errors).map(([name, { code, status, type, title, cause, example, cure }]) => {
    const [, anchor = ''] = type.split('#');
    return `<h2 id="${escaped(anchor)}">${escaped(title)}</h2>
<p>${name}, code ${code}, HTTP status ${status}, type <code>${escaped(type)}</code></p>
<dl>
<dt>Cause</dt><dd>${withCode(cause)}</dd>
<dt>Example</dt><dd>${withCode(example)}</dd>
<dt>Cure</dt><dd>${withCode(cure)}</dd>
</dl>`;
  });
}

function withCode(markdown: string): string {
  return escaped(markdown).replaceAll(/`([^`]+)`/g, '<code>$1</code>');
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

function escaped(text: string): string {
  return text.replaceAll(/[&<>"]/g, (character) => entities[character] ?? character);
}
