// Everything under /docs: the reference of the APIs, their OpenAPI document and the page that problem types link to. The
// operator listener serves it, and the public listener of a sandbox for developers. No key is required, because all of it is
// public in this repository.

import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import fastifyStatic from '@fastify/static';
import { errors } from '@opentill/contract/errors.ts';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { minuteMs } from '../../domain/time.ts';
import { nameOperation } from '../listener/observation.ts';
import { type Audience, openApiText } from '../openapi/document.ts';
import { pagePolicy } from '../page-policy.ts';

const prefix = '/docs';

/** An upgraded server serves new content under the same paths. */
const maxAgeMs = 5 * minuteMs;

/** The plugin itself would serialize the document for each call, and its page has no viewport. */
const staticFiles: ReadonlySet<string> = new Set(['/swagger-ui.css', '/swagger-ui-bundle.js']);
const swaggerUi = fileURLToPath(
  new URL('.', import.meta.resolve('@fastify/swagger-ui/static/swagger-ui.css')),
);

/** Without controls for making calls, which would need CORS and a key in the browser. */
const referenceScript = `const dark = matchMedia('(prefers-color-scheme: dark)');
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
follow();
dark.addEventListener('change', follow);
SwaggerUIBundle({
  url: '${prefix}/json',
  dom_id: '#reference',
  deepLinking: true,
  supportedSubmitMethods: [],
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
});
`;

const referencePage = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>OpenTill: the APIs</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${prefix}/static/swagger-ui.css">
<style>body { margin: 0 } .scheme-container, .authorization__btn { display: none !important }</style>
</head>
<body>
<div id="reference"></div>
<script src="${prefix}/static/swagger-ui-bundle.js"></script>
<script>${referenceScript}</script>
</body>
</html>
`;

const hashed = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** Swagger UI sets styles on elements and has its icons in data URLs. */
const referencePolicy = pagePolicy({
  scripts: `'self' ${hashed(referenceScript)}`,
  styles: "'self' 'unsafe-inline'",
});

export async function registerDocumentation(server: FastifyInstance, audience: Audience): Promise<void> {
  server.addHook('onRequest', nameOperation('docs'));
  server.addHook('onSend', (_request, reply, payload, done) => {
    reply.header('x-content-type-options', 'nosniff');
    if (reply.statusCode < 400) reply.header('cache-control', `public, max-age=${maxAgeMs / 1_000}`);
    done(null, payload);
  });
  for (const path of [prefix, `${prefix}/`]) {
    server.get(path, (_request, reply) => sendPage(reply, referencePage, referencePolicy));
  }
  server.get(`${prefix}/json`, async (_request, reply) =>
    reply.type('application/json; charset=utf-8').send(await openApiText(audience)),
  );
  await server.register(fastifyStatic, {
    ...{ root: swaggerUi, prefix: `${prefix}/static/`, allowedPath: (path) => staticFiles.has(path) },
    ...{ decorateReply: false, index: false },
  });
  const problems = problemsPage();
  // The path of all problem types.
  server.get(`${prefix}/problems`, (_request, reply) => sendPage(reply, problems, problemsPolicy));
}

/** The look of the console, whose colors are in its theme. */
const problemsStyle = `:root{color-scheme:light dark}
body{max-width:45rem;margin:2rem auto;padding:0 1rem;font:0.875rem/1.55 Inter,system-ui,sans-serif;background:light-dark(#f8f9fa,#14151a);color:light-dark(#1c2024,#e9ecef);overflow-wrap:anywhere}
h1{font-size:1.25rem}
h2{margin-top:2rem;border-top:1px solid light-dark(#dfe2e6,#3b3f45);padding-top:1rem;font-size:1rem}
h2:target{border-top:3px solid light-dark(#087f66,#4fd1b0)}
dt{color:light-dark(#59616a,#9aa0a6);font-size:0.75rem}
dd{margin:0 0 0.5rem}
code{border-radius:4px;padding:0 0.25rem;background:light-dark(#eceef1,#2f3338);font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}`;

const problemsPolicy = `default-src 'none'; style-src ${hashed(problemsStyle)}`;

function sendPage(reply: FastifyReply, page: string, policy: string): FastifyReply {
  return reply.type('text/html; charset=utf-8').header('content-security-policy', policy).send(page);
}

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
developer APIs with RFC 9457 problem details of the given type. On the public listener, problem details also carry
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
