// A call as a curl command. The operator key is a variable.

import { origin } from '../runtime/page.ts';

interface HttpCall {
  readonly method: string;
  readonly path: string;
  /** As JSON. */
  readonly body?: string | undefined;
}

/** Quotes a text for a shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

export function curlOf({ method, path, body }: HttpCall): string {
  const lines = [
    `curl ${method === 'GET' ? '' : `-X ${method} `}${quoted(origin + path)}`,
    `  -H "Authorization: Bearer $OPERATOR_KEY"`,
  ];
  if (body !== undefined) lines.push(`  -H 'Content-Type: application/json' -d ${quoted(body)}`);
  return lines.join(' \\\n');
}
