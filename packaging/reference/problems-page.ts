// The page that problem types link to: each error with its cause, an example and its cure.

import { errors } from '../../packages/contract/src/errors.ts';
import { htmlPage } from './html-page.ts';

export const problemsPage = (): string =>
  htmlPage(
    'errors',
    `<h1>Errors</h1>
<p>The purchase and events APIs respond with <code>{"error":{"code":...,"message":"..."}}</code>, the operator and
developer APIs with RFC 9457 problem details of the given type. On the public listener, problem details also carry
<code>error</code>. The message of a response can be more specific than the title here.</p>
${sections().join('\n')}`,
  );

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
