// The recorded calls of a demo server (record-examples.ts): parameters as the client takes them, and responses by status.

import { shownValue } from '../../packages/server/src/operations/developer-handler.ts';
import type { Api, Operation } from './apis.ts';
import recorded from './examples.json' with { type: 'json' };

type Values = Readonly<Record<string, unknown>>;

export interface Example {
  readonly parameters: Values;
  /** The first of a status is shown whole; the others have further fields. */
  readonly responses: Readonly<Record<string, readonly unknown[]>>;
}

const examples: Readonly<Record<string, Example>> = recorded.examples;

/** An event of each type. */
export const eventExamples: Readonly<Record<string, Values>> = recorded.events;

/** A problem with all of its fields. */
export const problemExample: unknown = recorded.problem;

/** An operation of the developer API is that of the operator API, called by the app of the token. */
export function exampleOf(api: Api, { operationId, responses }: Operation): Example {
  const isDeveloper = api.name === 'developer';
  const name = `${isDeveloper ? 'operator' : api.name}.${operationId}`;
  const example = examples[name];
  if (example === undefined) throw new Error(`${name} has no example: run npm run docs:examples`);
  if (!isDeveloper) return example;
  const { packageName: _, ...parameters } = example.parameters;
  const shown = Object.entries(example.responses).map(([status, values]): [string, readonly unknown[]] => {
    const schema = responses[Number(status)] ?? {};
    return [status, values.map((value) => shownValue(schema, value))];
  });
  return { parameters, responses: Object.fromEntries(shown) };
}

/** Where the parameters of a call are sent. */
export function partsOf({ method, path, pathParameters, body }: Operation, parameters: Values) {
  const entries = Object.entries(parameters);
  const inPath = entries.filter(([name]) => name in pathParameters);
  const rest = Object.fromEntries(entries.filter(([name]) => !(name in pathParameters)));
  // A body that is a list is passed under the last word of the path.
  const list = rest[path.slice(path.lastIndexOf('/') + 1)];
  const content = body?.type === 'array' ? list : rest;
  const isSent = body !== undefined && Object.keys(rest).length > 0;
  return {
    path: Object.fromEntries(inPath),
    query: method === 'GET' ? rest : {},
    body: isSent ? content : undefined,
  };
}
