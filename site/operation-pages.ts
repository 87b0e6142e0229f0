// Generates a page for each API and for each of its operations.

import { type ErrorName, errors } from '../packages/contract/src/errors.ts';
import type { JsonSchema } from '../packages/contract/src/parameters.ts';
import type { Api, Operation } from '../packaging/reference/apis.ts';
import { exampleOf } from '../packaging/reference/examples.ts';
import { mentionOf } from '../packaging/reference/guides.ts';
import { clientSample, curlSample } from '../packaging/reference/samples.ts';
import { type ApiReference, apiReferences, errorPath, operationPath } from './api-references.ts';
import { cell, linkBetween, linksToMentions, type Page, table } from './page.ts';
import { cellsOf, fieldTable } from './schema-fields.ts';

/** The manual is searched for the operations that it mentions. */
export function operationPages(manual: readonly Page[]): Page[] {
  return apiReferences.flatMap((reference) => [
    indexPage(reference),
    ...reference.api.operations.map((operation) => operationPage(reference, operation, manual)),
  ]);
}

function indexPage({ api, folder }: ApiReference): Page {
  const rows = api.operations.map((operation) => [
    `[${api.prefix}${operation.operationId}](${operation.operationId}.md)`,
    cell(operation.summary),
    `\`${signature(operation)}\``,
  ]);
  const { title, description } = api;
  const text = `# ${title}\n\n${description}\n\n${table(['operation', 'summary', 'call'], rows)}`;
  return { path: `${folder}/index.md`, text };
}

const signature = ({ method, path }: Operation): string => `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`;

function operationPage(reference: ApiReference, operation: Operation, manual: readonly Page[]): Page {
  const { api } = reference;
  const path = operationPath(reference, operation);
  const { operationId, summary, description } = operation;
  const sections = [
    `# ${api.prefix}${operationId}`,
    `${summary}. ${description ?? ''}`.trimEnd(),
    `\`\`\`http\n${signature(operation)}\n\`\`\``,
    `An operation of the [${api.title}](index.md). ${accessOf(api, operation)}`,
    ...parameterSection(operation),
    ...bodySection(operation),
    exampleSection(api, operation),
    ...responseSections(api, operation),
    errorSection(api, operation, path),
    `## In the manual\n\n${linksToMentions(path, mentionOf(operation), manual, reference.manual)}`,
  ];
  return { path, text: `${sections.join('\n\n').trimEnd()}\n` };
}

function accessOf({ listener }: Api, { roles, signsIn, sandboxOnly, acrossApps }: Operation): string {
  const sentences = [];
  if (signsIn === true) sentences.push('It needs no authorization: its body identifies the caller.');
  else if (listener === 'public') sentences.push('`$TOKEN` is an access token of the app.');
  else sentences.push(`\`$OPERATOR_KEY\` is a key with the role ${roles?.join(' or ')}.`);
  if (sandboxOnly === true) sentences.push('Only in the sandbox environment.');
  if (acrossApps === true) {
    sentences.push('A call for all apps gets 503 while a node of a database cluster is away.');
  }
  return sentences.join(' ');
}

function parameterSection({ pathParameters, query }: Operation): string[] {
  const row = (place: string, [name, schema]: [string, JsonSchema], isRequired = true) => [
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

function exampleSection(api: Api, operation: Operation): string {
  const { parameters } = exampleOf(api, operation);
  const samples = [
    `\`\`\`sh [curl]\n${curlSample(api, operation, parameters)}\n\`\`\``,
    `\`\`\`ts [TypeScript client]\n${clientSample(api, operation, parameters)}\`\`\``,
  ];
  return `## Example\n\n::: code-group\n\n${samples.join('\n\n')}\n\n:::`;
}

/** Responses with the same fields share a section. */
function responseSections(api: Api, operation: Operation): string[] {
  const { responses } = exampleOf(api, operation);
  const bySchema = Map.groupBy(Object.entries(operation.responses), ([, schema]) => schema);
  return [...bySchema].map(([schema, same]) => {
    const heading = `## Response ${same.map(([status]) => status).join(' or ')}`;
    if (schema.type === 'null') return `${heading}\n\nNo content.`;
    const [[status] = []] = same;
    const example = JSON.stringify(responses[String(status)]?.[0], undefined, 2);
    const parts = [
      ...[heading, schema.description, fieldTable(schema).trimEnd()],
      `\`\`\`json\n${example}\n\`\`\``,
    ];
    return parts.filter((part) => part !== undefined).join('\n\n');
  });
}

function errorSection(api: Api, operation: Operation, path: string): string {
  const linkTo = (name: ErrorName) => `[${name}](${linkBetween(path, errorPath(name))})`;
  const rows = operation.errors.map((name) => {
    const { code, status, title } = errors[name];
    return [linkTo(name), String(code), String(status), title];
  });
  const common = api.commonErrors.filter((name) => !operation.errors.includes(name)).map(linkTo);
  return `## Errors\n\n${table(['error', 'code', 'HTTP', 'meaning'], rows)}\nAny call can also get ${common.join(', ')}.`;
}
