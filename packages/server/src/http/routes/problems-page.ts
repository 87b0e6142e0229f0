// The page that the `type` of a problem links to: a section for every error of the contract.

import { errors } from '@opentill/contract/errors.ts';
import type { FastifyInstance } from 'fastify';

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
