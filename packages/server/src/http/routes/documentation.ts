// Everything under /docs of the operator listener: the reference of all APIs, their OpenAPI document and the page that
// problem types link to. No key is required, because all of it is public in this repository.

import { createHash } from 'node:crypto';
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

/** The look of the console, whose colors are in its theme. */
const problemsStyle = `:root{color-scheme:light dark}
body{max-width:45rem;margin:2rem auto;padding:0 1rem;font:0.875rem/1.55 Inter,system-ui,sans-serif;background:light-dark(#f8f9fa,#14151a);color:light-dark(#1c2024,#e9ecef);overflow-wrap:anywhere}
h1{font-size:1.25rem}
h2{margin-top:2rem;border-top:1px solid light-dark(#dfe2e6,#3b3f45);padding-top:1rem;font-size:1rem}
h2:target{border-top:3px solid light-dark(#087f66,#4fd1b0)}
dt{color:light-dark(#59616a,#9aa0a6);font-size:0.75rem}
dd{margin:0 0 0.5rem}
code{border-radius:4px;padding:0 0.25rem;background:light-dark(#eceef1,#2f3338);font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}`;

const problemsPolicy = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(problemsStyle).digest('base64')}'`;

/** Served by each listener whose APIs send problem details. */
export function registerProblemsPage(server: FastifyInstance): void {
  const page = problemsPage();
  server.get(path, (_request, reply) =>
    reply.type('text/html; charset=utf-8').header('content-security-policy', problemsPolicy).send(page),
  );
}

/** A page without scripts, which the Content-Security-Policy forbids. */
function problemsPage(): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>OpenTill: errors</title>
<style>${problemsStyle}</style>
</head>
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
