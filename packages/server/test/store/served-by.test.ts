// The comment of a statement names the indexes that serve it: they, and no others, are enough for its plan.

import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'pg';
import Type from 'typebox';
import { expect, test } from 'vitest';
import { createTestApp, startTestServer, testNow, useForFile } from '../../../../test/support/harness.ts';
import { fillStore } from '../../../../test/support/store/large-store.ts';
import { isCluster } from '../../../../test/support/test-databases.ts';
import { declaredTexts, statement } from '../../src/store/statements/statement.ts';

const folder = join(import.meta.dirname, '../../src/store');

/** A comment, and the name that the declaration after it gives to its statements. */
const commentedName =
  /^ *(\/\/ (?:.*\n *\/\/ )*.*|\/\*\*(?:(?!\*\/)[\s\S])*\*\/)\n(?:(?!\n\n)[\s\S])*?(?:name: |\(\s*)['`]([\w${}]+)['`]/gm;

interface Served {
  readonly name: string;
  /** In one line. */
  readonly comment: string;
  readonly texts: readonly string[];
}

/** The statements whose comments say `Served by`. */
async function servedStatements(): Promise<Served[]> {
  const served: Served[] = [];
  for await (const file of glob('**/*.ts', { cwd: folder })) {
    await import(join(folder, file));
    const source = await readFile(join(folder, file), 'utf8');
    for (const [, lines = '', name = ''] of source.matchAll(commentedName)) {
      const comment = lines.replaceAll(/\s+(?:\/\/|\*) /g, ' ');
      if (/served by/i.test(comment)) served.push({ name, comment, texts: textsOf(name) });
    }
  }
  return served;
}

/** A list has a second statement, for the end of a page. */
function textsOf(name: string): string[] {
  const pattern = name.replaceAll(/\$\{\w+\}/g, '\\w+');
  const names = new RegExp(`^(?:${pattern}|list_${pattern}(?:_end)?)$`);
  return [...declaredTexts].filter(([declared]) => names.test(declared)).flatMap(([, texts]) => texts());
}

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Index Name'?: string;
  readonly 'Conflict Arbiter Indexes'?: readonly string[];
  readonly 'Relation Name'?: string;
  readonly Plans?: readonly PlanNode[];
}

const isPrimaryKey = (index: string) => index.endsWith('_pkey');

/** Comments do not name primary keys one by one. */
const nameOf = (index: string) => (isPrimaryKey(index) ? 'primary key' : index);

/** The indexes of a plan, and the tables that it reads as a whole. */
function readsOf(node: PlanNode): string[] {
  const { 'Index Name': index, 'Conflict Arbiter Indexes': arbiters = [], Plans: inner = [] } = node;
  const indexes = [...(index === undefined ? [] : [index]), ...arbiters];
  const scan = node['Node Type'] === 'Seq Scan' ? [`all of ${node['Relation Name']}`] : [];
  return [...indexes.map(nameOf), ...scan, ...inner.flatMap(readsOf)];
}

/** A database with many rows, and what the plans of statements read in it. */
async function openLargeStore() {
  const server = await useForFile(startTestServer());
  const { packageName } = await createTestApp(server);
  const size = { apps: 2_000, purchases: 20_000, subscriptions: 3_000, periods: 300, events: 20_000 };
  await fillStore(
    server.connection,
    packageName,
    { ...size, failedDeliveries: 500, actions: 5_000 },
    testNow,
  );
  const client = new Client(server.connection);
  await client.connect();
  await useForFile({ [Symbol.asyncDispose]: () => client.end() });
  await client.query('analyze');
  // Some tables have few rows.
  await client.query('set enable_seqscan = off');
  const own = `select indexrelid::regclass::text as name from pg_index
    where indrelid in (select oid from pg_class where relnamespace = 'public'::regnamespace)`;
  const { rows } = await client.query<{ name: string }>(own);
  return {
    indexes: rows.map(({ name }) => name),
    /** The reads of each plan while only these indexes can be used. */
    async plannedWith(indexes: readonly string[], texts: readonly string[]): Promise<string[][]> {
      await client.query('begin');
      const disable = `update pg_index set indisvalid = false where indexrelid::regclass::text in (${own})
        and indexrelid::regclass::text <> all($1)`;
      await client.query(disable, [indexes]);
      const plans = [];
      for (const text of texts) {
        const explained = await client.query(`explain (generic_plan, format json) ${text}`);
        plans.push(readsOf(explained.rows[0]['QUERY PLAN'][0].Plan));
      }
      await client.query('rollback');
      return plans;
    },
  };
}

/** What the statements of an app function read is not in the plan of its call. */
const callsFunction = /\bfrom\s+\w+_v1\(/;

test.skipIf(isCluster)(
  'a statement is served by the indexes that its comment names, and by each of them',
  async () => {
    const { indexes, plannedWith } = await openLargeStore();
    const served = (await servedStatements()).filter(
      ({ texts }) => !texts.some((text) => callsFunction.test(text)),
    );
    expect(served.length).toBeGreaterThan(150);
    const wrong: object[] = [];
    for (const { name, comment, texts } of served) {
      const named = indexes.filter((index) => new RegExp(`\\b${nameOf(index)}s?\\b`).test(comment));
      const plans = await plannedWith(named, texts);
      // A list is also declared without the app that each call of it names.
      const scanned = (plans[0] ?? ['no text']).filter((read) => plans.every((plan) => plan.includes(read)));
      const missing = scanned.filter((read) => /^all of|^no /.test(read) && !comment.includes(read));
      const unused: string[] = [];
      for (const index of new Set(named.map(nameOf))) {
        // Another one may serve it as well.
        const alone = () =>
          plannedWith(
            named.filter((one) => isPrimaryKey(one) || one === index),
            texts,
          );
        const isUsed = (found: string[][]) => found.some((reads) => reads.includes(index));
        if (!isUsed(plans) && !isUsed(await alone())) unused.push(index);
      }
      if (missing.length + unused.length > 0) wrong.push({ name, comment, missing, unused });
    }
    expect(wrong).toEqual([]);
  },
);

test('two statements cannot have the same name, which a connection would take for one', () => {
  const again = { name: 'select_app', text: 'select 1', row: Type.Object({}) };
  expect(() => statement(again)).toThrow('Two statements have the name select_app.');
});
