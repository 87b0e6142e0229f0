// The command of an operation of the operator API, or the same of the developer API: arguments, options and help follow from
// the contract.

import { developerApi } from '@opentill/contract/developer-api.ts';
import { operatorOperations } from '@opentill/contract/operations.ts';
import type { OperatorOperation } from '@opentill/contract/operator-api/operator-operation.ts';
import { type JsonSchema, jsonSchema, parametersOf } from '@opentill/contract/parameters.ts';
import { partialNote } from '@opentill/contract/partial-statistics.ts';
import { idsIn } from '@opentill/contract/pasted-text.ts';
import type { Command } from 'commander';
import { type CommandContext, UsageProblem } from '../command-context.ts';
import { listed, withLimit } from '../listed.ts';
import { callsServer, type ServerCall } from '../server-call.ts';
import type { Columns, ObjectWithLists } from '../terminal/output.ts';
import { argumentOf, optionOf, phrase, withFlags } from './fields.ts';

type OperationId = (typeof operatorOperations)[number]['operationId'];
type Values = Readonly<Record<string, unknown>>;

/** The client, whose methods get the values of the options. */
type Methods = Readonly<Record<OperationId, (values: Values, ending: object) => Promise<Values | undefined>>>;

/** The parts of a command that differ from its operation. */
export interface CommandWords {
  readonly operation: OperationId;
  /** Replaces the words of the contract. */
  readonly description?: string;
  /** Fields that are arguments, after those of the path. */
  readonly args?: readonly string[];
  /** Fields with a value that is not an option; undefined is not sent. */
  readonly fixed?: Values;
  /** Fields of which a command line has exactly one. */
  readonly exactlyOne?: readonly string[];
  /** The table of a list, by default the first fields of an entry. */
  readonly columns?: Columns<never>;
  /** The fields and lists to print, by default those of the response. */
  readonly shown?: (response: never) => ObjectWithLists;
  /** Adds the option --wait, which repeats the call until this resolves. */
  readonly wait?: {
    readonly meaning: string;
    readonly untilComplete: (send: () => Promise<never>, call: ServerCall<unknown>) => Promise<Values>;
  };
}

const operations = new Map<string, OperatorOperation>(
  operatorOperations.map((operation) => [operation.operationId, operation]),
);

/** Columns that fit in a line; `--json` has all fields. */
const columnsMax = 8;

const paging: ReadonlySet<string> = new Set(['pageSize', 'pageToken']);

export function addOperatorCommand(
  parent: Command,
  name: string,
  words: CommandWords,
  context: CommandContext,
): void {
  const operation = operations.get(words.operation) as OperatorOperation;
  const { properties, required } = parametersOf(operation);
  const { args = [], fixed = {}, exactlyOne = [] } = words;
  const { summary, description = '' } = operation;
  const isPaged = 'pageToken' in properties;
  const positions = [...Object.keys(operation.pathParameters), ...args];
  const options = Object.entries(properties)
    .filter(([field]) => !(positions.includes(field) || field in fixed || (isPaged && paging.has(field))))
    .map(([field, schema]) => ({ field, option: optionOf(field, schema, required.includes(field)) }));
  const meaning = withFlags(
    `${summary}. ${description}`.trim(),
    options.map(({ field }) => field),
  );
  const command = parent
    .command(name)
    .summary(words.description ?? phrase(summary))
    .description(words.description ?? phrase(meaning));
  for (const field of positions)
    command.addArgument(argumentOf(field, properties[field] ?? {}, required.includes(field)));
  for (const { option } of options) command.addOption(option);
  if (isPaged) withLimit(command);
  if (words.wait !== undefined) command.option('--wait', words.wait.meaning);
  const work = async (call: ServerCall<Values & { limit: number; wait?: boolean }>, ...given: string[]) => {
    const values = {
      ...fixed,
      ...Object.fromEntries(positions.map((field, index) => [field, given[index]])),
      ...Object.fromEntries(
        options.map(({ field, option }) => [field, call.options[option.attributeName()]]),
      ),
    };
    requireExactlyOne(exactlyOne, options, values);
    const client = call.client as unknown as Methods;
    const [{ field = '', columns = {} } = {}] = tablesOf(operation, words);
    const request = async (page: object) => {
      const send = (sent: Values) => client[words.operation]({ ...sent, ...page }, call.ending);
      const response = await send(values);
      const ids = isEmpty(response?.[field]) && operation.method === 'GET' ? idsIn(values) : undefined;
      return ids === undefined ? response : send(ids);
    };
    if (!isPaged) {
      const once = () => request({});
      const untilComplete = call.options.wait ? words.wait?.untilComplete : undefined;
      const response = untilComplete?.(once as () => Promise<never>, call) ?? once();
      return print(operation, words, call, await response);
    }
    const entries = await listed(call.options, call.output, async (asked) => {
      const page = (await request(asked)) as Values & { nextPageToken?: string };
      return { ...page, entries: page[field] as readonly object[] };
    });
    await call.output.list(entries, columns);
  };
  callsServer(command, context, work, { forDevelopers: Object.hasOwn(developerApi, words.operation) });
}

const isEmpty = (list: unknown): boolean => Array.isArray(list) && list.length === 0;

function requireExactlyOne(
  fields: readonly string[],
  options: readonly { readonly field: string; readonly option: { readonly long?: string | undefined } }[],
  values: Values,
): void {
  if (fields.length === 0 || fields.filter((field) => values[field] !== undefined).length === 1) return;
  const flags = fields.map((name) => options.find(({ field }) => field === name)?.option.long);
  throw new UsageProblem(`Use exactly one of ${flags.join(', ').replace(/, (?=[^,]*$)/, ' and ')}.`);
}

/** Prints an object with the tables of its lists, or a list if it has nothing else. */
async function print(
  operation: OperatorOperation,
  words: CommandWords,
  { output }: Pick<ServerCall<unknown>, 'output'>,
  response: Values | undefined,
): Promise<void> {
  if (response === undefined) {
    output.note('Done.');
    return;
  }
  if (operation.operationId === 'getStatistics' && response['countedUntil'] === undefined)
    output.note(partialNote);
  const tables = tablesOf(operation, words);
  const [only] = tables;
  const isList = only !== undefined && Object.keys(response).length === 1;
  if (isList) await output.list(response[only.field] as readonly object[], only.columns);
  else if (output.isJson) output.record(response);
  else await output.recordWithLists(words.shown?.(response as never) ?? withLists(response, tables));
  const secret = ['clientSecret', 'secret'].find((name) => name in response);
  if (secret !== undefined)
    output.note(`Keep the ${secret === 'secret' ? secret : 'client secret'} now: it is not shown again.`);
}

interface Table {
  readonly field: string;
  readonly columns: Columns<object>;
}

function withLists(response: Values, tables: readonly Table[]): ObjectWithLists {
  const fields = { ...response };
  for (const { field } of tables) delete fields[field];
  const lists = tables
    .filter(({ field }) => response[field] !== undefined)
    .map(({ field, columns }) => ({ name: field, rows: response[field] as readonly object[], columns }));
  return { fields, lists };
}

const partsOf = (schema: JsonSchema): readonly JsonSchema[] => schema.anyOf ?? [schema];

/** The fields of a response that are lists of objects, with their columns; those of `words` are for the first one. */
function tablesOf({ responses }: OperatorOperation, words: CommandWords): Table[] {
  const [response] = Object.values(responses).map(jsonSchema);
  return Object.entries(response?.properties ?? {})
    .filter(([, { items = {} }]) => partsOf(items).some(({ type }) => type === 'object'))
    .map(([field, schema], index) => ({
      field,
      columns: ((index === 0 ? words.columns : undefined) ?? columnsOf(schema)) as Columns<object>,
    }));
}

/** The first scalars of an entry. */
function columnsOf({ items = {} }: JsonSchema): Columns<Values> {
  const scalars = partsOf(items)
    .flatMap(({ properties = {} }) => Object.entries(properties))
    .filter(([, { type }]) => type !== 'object' && type !== 'array')
    .map(([name]) => name);
  const names = [...new Set(scalars)].slice(0, columnsMax);
  return Object.fromEntries(names.map((name) => [name, (row: Values) => row[name]]));
}
