// The errors of the APIs in a document: once all of them with their cures, and for each operation one response that lists
// its own.

import { type ErrorName, errors, Problem, PurchaseApiError } from '../../packages/contract/src/errors.ts';
import type { JsonSchema } from '../../packages/contract/src/parameters.ts';
import type { Api, Operation } from './apis.ts';
import { problemExample } from './examples.ts';
import type { SchemaReferences } from './schema-references.ts';

const linkTo = (name: ErrorName): string => `[${name}](${errors[name].type})`;

function line(name: ErrorName): string {
  const { status, code, title } = errors[name];
  return `- **${status}**, code ${code}, ${linkTo(name)}: ${title}`;
}

/** Markdown. */
export function errorSection(described: readonly Api[]): string {
  const sent = new Set(
    described.flatMap(({ operations, commonErrors }) => [
      ...operations.flatMap((operation) => operation.errors),
      ...commonErrors,
    ]),
  );
  const entries = (Object.keys(errors) as ErrorName[])
    .filter((name) => sent.has(name))
    .map((name) => `${line(name)} ${errors[name].cure}\n`);
  return `## Errors

The purchase API and the events API respond with \`{"error":{"code","message"}}\`, the other APIs with RFC 9457 problem details. A message can be more specific than here. Each name leads to its cause and an example.

${entries.join('')}`;
}

const headers = {
  'www-authenticate': { schema: { type: 'string' }, description: 'With 401: always `Bearer`.' },
  'retry-after': {
    schema: { type: 'integer' },
    description: 'With 429 and 503: the seconds to wait before a retry.',
  },
  allow: { schema: { type: 'string' }, description: 'With 405: the methods that the path supports.' },
};

export function errorsResponse(api: Api, operation: Operation, references: SchemaReferences): object {
  const common = api.commonErrors.filter((name) => !operation.errors.includes(name)).map(linkTo);
  const [mediaType, schema] = api.hasProblems
    ? (['application/problem+json', Problem] as const)
    : (['application/json', PurchaseApiError] as const);
  const examples = operation.errors.map((name) => [name, { value: bodyOf(api, name) }]);
  return {
    description: `An error.\n\n${operation.errors.map(line).join('\n')}\n\nAny call can also get ${common.join(', ')}.`,
    headers,
    content: {
      [mediaType]: {
        schema: references.of(schema as unknown as JsonSchema, [
          ...operation.errors.map((name) => bodyOf(api, name)),
          ...(api.hasProblems ? [problemExample] : []),
        ]),
        examples: Object.fromEntries(examples),
      },
    },
  };
}

function bodyOf({ hasProblems, listener }: Api, name: ErrorName): object {
  const { type, title, status, code } = errors[name];
  const error = { code, message: title };
  if (!hasProblems) return { error };
  return { type, title, status, detail: title, ...(listener === 'public' && { error }) };
}
