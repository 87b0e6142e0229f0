// The page that the `type` of a problem links to: every error of the contract.

import { errors } from '@opentill/contract/errors.ts';

/** A page without scripts and styles, which the Content-Security-Policy forbids. */
export function problemsPage(): string {
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>OpenTill: errors</title></head>
<body>
<h1>Errors</h1>
<p><a href="/docs">All operations</a></p>
<p>The purchase and events APIs respond with <code>{"error":{"code":...,"message":"..."}}</code>, the operator and
sandbox APIs with RFC 9457 problem details of the given type. On the public listener, problem details also carry
<code>error</code>. The message of a response can be more specific than the meaning here.</p>
<table border="1">
<tr><th>name</th><th>code</th><th>HTTP status</th><th>type</th><th>meaning</th></tr>
${rows().join('\n')}
</table>
</body>
</html>
`;
}

function rows(): string[] {
  return Object.entries(errors).map(([name, { code, status, type, title }]) => {
    const [, anchor = ''] = type.split('#');
    const cells = [name, code, status, type, title].map((cell) => `<td>${escaped(String(cell))}</td>`);
    return `<tr id="${escaped(anchor)}">${cells.join('')}</tr>`;
  });
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

function escaped(text: string): string {
  return text.replaceAll(/[&<>"]/g, (character) => entities[character] ?? character);
}
