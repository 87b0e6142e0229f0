// A call as code: curl, and TypeScript with the client. The operator key is a variable.

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

interface MethodCall {
  readonly operation: string;
  readonly parameters: Readonly<Record<string, unknown>>;
}

export function typescriptOf({ operation, parameters }: MethodCall): string {
  const given = Object.entries(parameters).filter(([, value]) => value !== undefined);
  const values = given.map(([name, value]) => `${name}: ${JSON.stringify(value)}`).join(', ');
  return `await operator.${operation}(${values === '' ? '' : `{ ${values} }`});`;
}
