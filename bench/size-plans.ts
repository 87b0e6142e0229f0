// The plans of all statements that a PostgreSQL runs, from its log: auto_explain writes them, also those within functions.

import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ClientConfig } from 'pg';
import { Client } from 'pg';
import { waitFor } from '../test/support/wait-for.ts';

const folder = 'statement-log';

/** They are read at the next start. */
const settings = {
  session_preload_libraries: 'auto_explain',
  'auto_explain.log_min_duration': '0',
  'auto_explain.log_analyze': 'on',
  'auto_explain.log_timing': 'off',
  'auto_explain.log_nested_statements': 'on',
  'auto_explain.log_format': 'json',
  logging_collector: 'on',
  log_directory: folder,
  log_rotation_size: '0',
};

/** A part of a plan that reads more rows of a table in its order reads too much. */
const rowsMax = 100_000;

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows'?: number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly PlanNode[];
}

export interface RunStatement {
  readonly text: string;
  /** As text. */
  readonly parameters: string;
  readonly ms: number;
  /** The large tables that it read whole. */
  readonly readWhole: readonly string[];
}

export async function logPlans(client: Client): Promise<void> {
  for (const [name, value] of Object.entries(settings))
    await client.query(`alter system set ${name} = '${value}'`);
}

function tablesReadWhole(node: PlanNode): string[] {
  const {
    'Relation Name': table = '',
    'Actual Rows': rows = 0,
    'Rows Removed by Filter': removed = 0,
  } = node;
  const own = node['Node Type'] === 'Seq Scan' && rows + removed > rowsMax ? [table] : [];
  return [...own, ...(node.Plans ?? []).flatMap(tablesReadWhole)];
}

/** Reads the statements that ran since the last call. */
export class StatementLog {
  readonly #connection: ClientConfig;
  #marks = 0;
  #read = 0;

  constructor(connection: ClientConfig) {
    this.#connection = connection;
  }

  async next(): Promise<RunStatement[]> {
    this.#marks += 1;
    const mark = `select 'mark ${this.#marks}'`;
    const client = new Client(this.#connection);
    await client.connect();
    const { rows } = await client.query('show data_directory');
    await client.query(mark);
    await client.end();
    const text = await waitFor(
      async () => {
        const log = await readLog(join(rows[0].data_directory, folder));
        return log.includes(mark) ? log : undefined;
      },
      { what: 'the log of a statement' },
    );
    const added = text.slice(this.#read);
    this.#read = text.length;
    return [...added.matchAll(/duration: ([\d.]+) ms {2}plan:\n((?:\t.*\n)+)/g)].map(([, ms, json = '']) => {
      const logged = JSON.parse(json.replaceAll(/^\t/gm, ''));
      const { 'Query Text': query, 'Query Parameters': parameters = '', Plan: plan } = logged;
      return { text: query, parameters, ms: Number(ms), readWhole: [...new Set(tablesReadWhole(plan))] };
    });
  }
}

async function readLog(path: string): Promise<string> {
  const files = (await readdir(path)).toSorted();
  return (await Promise.all(files.map((file) => readFile(join(path, file), 'utf8')))).join('');
}
