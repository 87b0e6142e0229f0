// Generates a page for each API and for each of its operations.

import { type ErrorName, errors } from '../packages/contract/src/errors.ts';
import {
  type ApiReference,
  apiReferences,
  errorPath,
  type Operation,
  operationPath,
} from './api-references.ts';
import { exampleCall } from './example-call.ts';
import { cell, linkBetween, linksToMentions, type Page, table } from './page.ts';
import { cellsOf, fieldTable, type Schema } from './schema-fields.ts';

/** The manual is searched for the operations that it mentions. */
export function operationPages(manual: readonly Page[]): Page[] {
  return apiReferences.flatMap((api) => [
    indexPage(api),
    ...api.operations.map((operation) => operationPage(api, operation, manual)),
  ]);
}

function indexPage(api: ApiReference): Page {
  const rows = api.operations.map((operation) => [
    `[${api.prefix}${operation.operationId}](${operation.operationId}.md)`,
    cell(operation.summary),
    `\`${signature(operation)}\``,
  ]);
  const { name, description } = api.tag;
  const text = `# ${name}\n\n${description}\n\n${table(['operation', 'summary', 'call'], rows)}`;
  return { path: `${api.folder}/index.md`, text };
}

const signature = ({ method, path }: Operation): string => `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`;

function operationPage(api: ApiReference, operation: Operation, manual: readonly Page[]): Page {
  const path = operationPath(api, operation);
  const { operationId, summary, description } = operation;
  const sections = [
    `# ${api.prefix}${operationId}`,
    `${summary}. ${description ?? ''}`.trimEnd(),
    `\`\`\`http\n${signature(operation)}\n\`\`\``,
    `An operation of the [${api.tag.name}](index.md). ${accessOf(api, operation)}`,
    ...parameterSection(operation),
    ...bodySection(operation),
    `## Example\n\n\`\`\`sh\n${exampleCall(api, operation)}\n\`\`\``,
    ...responseSections(operation),
    errorSection(api, operation, path),
    `## In the manual\n\n${linksToMentions(path, mentionOf(operation), manual, api.manual)}`,
  ];
  return { path, text: `${sections.join('\n\n').trimEnd()}\n` };
}

function accessOf({ key }: ApiReference, { roles, signsIn, sandboxOnly, acrossApps }: Operation): string {
  const sentences = [];
  if (signsIn === true) sentences.push('It needs no authorization: its body identifies the caller.');
  else if (key === '$TOKEN') sentences.push('`$TOKEN` is an access token of the app.');
  else sentences.push(`\`$OPERATOR_KEY\` is a key with the role ${roles?.join(' or ')}.`);
  if (sandboxOnly === true) sentences.push('Only in the sandbox environment.');
  if (acrossApps === true) {
    sentences.push('A call for all apps gets 503 while a node of a database cluster is away.');
  }
  return sentences.join(' ');
}

function parameterSection({ pathParameters, query }: Operation): string[] {
  const row = (place: string, [name, schema]: [string, Schema], isRequired = true) => [
    `\`${name}\``,
    place,
    ...cellsOf(schema, isRequired),
  ];
  const rows = [
    ...Object.entries(pathParameters).map((parameter) => row('path', parameter)),
    ...Object.entries(query?.properties ?? {}).map((parameter) =>
      row('query', parameter, query?.required?.includes(parameter[0]) ?? false),
    ),
  ];
  if (rows.length === 0) return [];
  return [`## Parameters\n\n${table(['parameter', 'in', 'type', 'meaning'], rows)}`.trimEnd()];
}

function bodySection({ body, bodyOptional, takesForm }: Operation): string[] {
  if (body === undefined) return [];
  const type = takesForm === true ? 'application/x-www-form-urlencoded' : 'application/json';
  const note = bodyOptional === true ? ' It may be omitted.' : '';
  return [`## Body\n\nThe body is \`${type}\`.${note}\n\n${fieldTable(body)}`.trimEnd()];
}

/** Responses with the same fields share a section. */
function responseSections({ responses }: Operation): string[] {
  const bySchema = Map.groupBy(Object.entries(responses), ([, schema]) => schema);
  return [...bySchema].map(([schema, same]) => {
    const heading = `## Response ${same.map(([status]) => status).join(' or ')}`;
    if (schema.type === 'null') return `${heading}\n\nNo content.`;
    const parts = [heading, schema.description, fieldTable(schema).trimEnd()];
    return parts.filter((part) => part !== undefined).join('\n\n');
  });
}

function errorSection(api: ApiReference, operation: Operation, path: string): string {
  const linkTo = (name: ErrorName) => `[${name}](${linkBetween(path, errorPath(name))})`;
  const rows = operation.errors.map((name) => {
    const { code, status, title } = errors[name];
    return [linkTo(name), String(code), String(status), title];
  });
  const common = api.commonErrors.filter((name) => !operation.errors.includes(name)).map(linkTo);
  return `## Errors\n\n${table(['error', 'code', 'HTTP', 'meaning'], rows)}\nAny call can also get ${common.join(', ')}.`;
}

/** Its name, or its call below the address of its API, as in \`POST /reset\`. */
function mentionOf({ operationId, method, path }: Operation): RegExp {
  const tail = path
    .replace(/^.*\/v\d(?:\/apps\/:packageName)?(?=\/)/, '')
    .replaceAll(/:\w+/g, '\\{?\\w+\\}?');
  const name = /[A-Z]/.test(operationId) ? `(?<![\\w.])${operationId}(?!\\w)|` : '';
  return new RegExp(`${name}\\b${method} ${tail}(?![\\w/])`);
}
