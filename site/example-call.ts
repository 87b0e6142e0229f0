// The example call of an operation, of the examples in the contract.

import type { ApiReference, Operation } from './api-references.ts';
import type { Schema } from './schema-fields.ts';

/** An object has the required fields only. @throws if the contract has no example for a required string */
export function exampleOf(schema: Schema, name: string): unknown {
  const { examples, type, anyOf, items, properties = {}, required = [] } = schema;
  if (examples !== undefined) return examples[0];
  if (schema.default !== undefined) return schema.default;
  if (schema.const !== undefined) return schema.const;
  if (anyOf?.[0] !== undefined) return exampleOf(anyOf[0], name);
  if (items !== undefined) return [exampleOf(items, name)];
  if (type === 'boolean') return true;
  if (type === 'integer' || type === 'number') return schema.minimum ?? 1;
  if (type !== 'object') throw new Error(`expected \`examples\` in the schema of ${name} in the contract`);
  return Object.fromEntries(required.map((field) => [field, exampleOf(properties[field] ?? {}, field)]));
}

/** The body of an example, or undefined if the operation needs none. */
export function exampleBody({ body, bodyOptional, operationId }: Operation): object | undefined {
  if (body === undefined || (bodyOptional === true && body.examples === undefined)) return undefined;
  return exampleOf(body, operationId) as object;
}

/** The path with its query. */
function examplePath({ path, pathParameters, query, operationId }: Operation): string {
  const filled = path.replaceAll(/:(\w+)/g, (_whole, name: string) =>
    encodeURIComponent(String(exampleOf(pathParameters[name] ?? {}, name))),
  );
  const values = query === undefined ? {} : (exampleOf(query, operationId) as Record<string, string>);
  const search = new URLSearchParams(values).toString();
  return search === '' ? filled : `${filled}?${search}`;
}

export function exampleCall({ url, key, alwaysTyped }: ApiReference, operation: Operation): string {
  const { method, signsIn, takesForm } = operation;
  const address = `${url}${examplePath(operation)}`;
  const body = exampleBody(operation);
  const isJson = takesForm !== true && (alwaysTyped === true || body !== undefined);
  const options = [
    ...(signsIn === true ? [] : [`-H "Authorization: Bearer ${key}"`]),
    ...(isJson ? ["-H 'Content-Type: application/json'"] : []),
    ...(body === undefined ? [] : takesForm === true ? formOptions(body) : [`-d '${JSON.stringify(body)}'`]),
  ];
  const verb = method === 'GET' ? '' : `-X ${method} `;
  return [`curl -s ${verb}'${address}'`, ...options].join(' \\\n  ');
}

const formOptions = (form: object): string[] =>
  Object.entries(form).map(([name, value]) => `-d '${name}=${value}'`);
