// The page that the `type` of a problem leads to: every problem and every error code, made from the tables
// that answers are made from.

import { type FailureName, failures } from '@opentill/contract/failures.ts';
import { purchaseOperations } from '@opentill/contract/operations.ts';
import { problems } from '@opentill/contract/problems.ts';

/** The page without a script or a style of its own: a policy that forbids both suits it. */
export function problemsPage(): string {
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>OpenTill: problems and error codes</title></head>
<body>
<h1>Problems and error codes</h1>
<p><a href="/docs">All operations</a></p>
<h2>Problems</h2>
<p>The operator API and the sandbox API answer with RFC 9457 problem details. On the public listener a problem
also carries <code>error</code> with the code in the last column.</p>
${table(['type', 'HTTP status', 'meaning', 'code'], problemRows())}
<h2>Error codes</h2>
<p>The purchase API answers with <code>{"error":{"code":...,"message":"..."}}</code>. The message of an answer
may say more than the meaning here.</p>
${table(['code', 'HTTP status', 'name', 'meaning', 'answered by'], failureRows())}
</body>
</html>
`;
}

interface Row {
  /** The fragment of the page's address that leads to the row. */
  readonly anchor: string;
  readonly cells: readonly (string | number)[];
}

function problemRows(): Row[] {
  return Object.values(problems).map(({ type, status, title, code }) => {
    const [, anchor = ''] = type.split('#');
    return { anchor, cells: [type, status, title, code] };
  });
}

function failureRows(): Row[] {
  return (Object.keys(failures) as FailureName[]).map((name) => {
    const { code, httpStatus, message } = failures[name];
    const operations: readonly { operationId: string; failures: readonly FailureName[] }[] =
      purchaseOperations;
    const answering = operations.filter((operation) => operation.failures.includes(name));
    const by = answering.map(({ operationId }) => operationId).join(', ') || 'any call';
    return { anchor: `failure-${name}`, cells: [code, httpStatus, name, message, by] };
  });
}

function table(titles: readonly string[], rows: readonly Row[]): string {
  const head = titles.map((title) => `<th>${escaped(title)}</th>`).join('');
  const body = rows.map(({ anchor, cells }) => {
    const columns = cells.map((cell) => `<td>${escaped(String(cell))}</td>`).join('');
    return `<tr id="${escaped(anchor)}">${columns}</tr>`;
  });
  return `<table border="1">\n<tr>${head}</tr>\n${body.join('\n')}\n</table>`;
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

function escaped(text: string): string {
  return text.replaceAll(/[&<>"]/g, (character) => entities[character] ?? character);
}
