// Generates a page for each error of the contract.

import { type ErrorName, errors } from '../packages/contract/src/errors.ts';
import { apis } from '../packaging/reference/apis.ts';
import { apiReferences, errorPath, operationPath } from './api-references.ts';
import { cell, linkBetween, linksToMentions, type Page, table } from './page.ts';

const names = Object.keys(errors) as ErrorName[];

/** The manual is searched for the errors that it mentions. */
export function errorPages(manual: readonly Page[]): Page[] {
  return [indexPage(), ...names.map((name) => errorPage(name, manual))];
}

function indexPage(): Page {
  const path = 'reference/errors/index.md';
  const rows = names.map((name) => {
    const { code, status, title } = errors[name];
    return [String(code), `[${name}](${linkBetween(path, errorPath(name))})`, String(status), title];
  });
  const text = `# All errors\n\n${table(['code', 'error', 'HTTP', 'meaning'], rows)}`;
  return { path, text };
}

function errorPage(name: ErrorName, manual: readonly Page[]): Page {
  const path = errorPath(name);
  const { code, status, type, title, cause, example, cure } = errors[name];
  const mention = new RegExp(`(?<!\\w)${name}(?!\\w)|\\bcode ${code}\\b`);
  const sections = [
    `# ${name} (${code})`,
    title,
    table(['code', 'HTTP status', 'type'], [[String(code), String(status), `\`${type}\``]]).trimEnd(),
    `## Cause\n\n${cause}`,
    `## Example\n\n${example}`,
    `## Cure\n\n${cure}`,
    '## Response',
    ...(isSent(name, false)
      ? ['In the purchase API and the events API:', jsonBlock({ error: { code, message: title } })]
      : []),
    ...(isSent(name, true)
      ? ['In the operator API and the developer API:', jsonBlock({ type, title, status, detail: title })]
      : []),
    'The message and the detail can be more specific.',
    `## Operations\n\n${operationsWith(name, path).trimEnd()}`,
    `## In the manual\n\n${linksToMentions(path, mention, manual, 'docs/errors.md')}`,
  ];
  return { path, text: `${sections.join('\n\n')}\n` };
}

const jsonBlock = (value: object): string => `\`\`\`json\n${JSON.stringify(value, undefined, 2)}\n\`\`\``;

const isSent = (name: ErrorName, hasProblems: boolean): boolean =>
  apis.some(
    ({ commonErrors, operations, ...api }) =>
      api.hasProblems === hasProblems &&
      (commonErrors.includes(name) || operations.some((operation) => operation.errors.includes(name))),
  );

function operationsWith(name: ErrorName, path: string): string {
  const rows = apiReferences.map((reference) => {
    const { api, folder } = reference;
    const links = api.operations
      .filter((operation) => operation.errors.includes(name))
      .map(
        (operation) =>
          `[${operation.operationId}](${linkBetween(path, operationPath(reference, operation))})`,
      );
    const which = api.commonErrors.includes(name) ? 'any call' : links.join(', ');
    return [`[${cell(api.title)}](${linkBetween(path, `${folder}/index.md`)})`, which];
  });
  return table(
    ['API', 'calls that can get this error'],
    rows.filter(([, which]) => which !== ''),
  );
}
