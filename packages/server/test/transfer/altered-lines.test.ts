// Exports that somebody altered: a value, the order of the lines, how often they stand there. An import takes each
// line or tells it, no call fails because of one that it took, and repeating it completes the store.

import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { query } from '../embedded/scratch.ts';
import {
  createTestApp,
  freshDatabase,
  requestToken,
  startTestServer,
  type TestApp,
  type TestDatabase,
  type TestServer,
} from '../harness.ts';
import { everyCall } from './every-call.ts';
import { exportText, header, type Line } from './lines.ts';
import { lastSteps, take } from './store-steps.ts';
import { exported, imported } from './transfer.ts';

const runs = 2;
const appsOfRun = 15;
/** An app, its product, its subscription, a month of it, an event of that month. */
const longestChain = 5;

let database: TestDatabase;
let server: TestServer;
let original: TestApp;
let lines: readonly Line[];
let purchaseIds: readonly string[];

beforeAll(async () => {
  await using filled = await freshDatabase();
  await using filling = await startTestServer({ database: filled });
  const apps = [await createTestApp(filling, 'com.example.a')];
  for (const step of lastSteps) await take(filling, apps, step);
  original = apps[0] as TestApp;
  lines = (await exported(filled.connection))
    .trimEnd()
    .split('\n')
    .slice(1, -1)
    .map((line) => JSON.parse(line) as Line);
  const rows = await query(filled.connection, 'select purchase_id from purchase order by 1 limit 2');
  purchaseIds = rows.map((row) => String(row['purchase_id']));
  database = await freshDatabase();
  server = await startTestServer({ database });
});
afterAll(async () => {
  await server.stop();
  await database[Symbol.asyncDispose]();
});

let copies = 0;
/** The lines of the app under another name. */
function copyOfApp(): { readonly app: TestApp; readonly own: Line[] } {
  copies += 1;
  const packageName = `com.example.copy${copies}`;
  const own = lines.map((line) => JSON.parse(JSON.stringify(line).replaceAll('com.example.a', packageName)));
  own[0] = { ...own[0], appNumber: copies };
  return { app: { ...original, packageName, clientId: packageName }, own };
}

const values = [
  '',
  'x',
  '0',
  '1',
  'p-last',
  'coins',
  'monthly',
  'Europe/Berlin',
  '__proto__',
  '\0',
  '\ud800',
  '\u001b[2J',
  'y'.repeat(501),
  0,
  1,
  -1,
  -0,
  1.5,
  70_000,
  2_147_483_648,
  1_000_000_000_000,
  1_773_576_000_000,
  9_999_999_999_999,
  Number.MAX_SAFE_INTEGER,
  1e300,
  true,
  false,
  null,
  undefined,
  [],
  {},
  ['x'],
  { a: '\0' },
];

const alteration = fc.record({
  line: fc.nat(),
  field: fc.nat(),
  value: fc.constantFrom<unknown>(...values),
});

test('whatever value a line has, it is taken or told, and no call fails because of it', {
  timeout: 300_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(alteration, { minLength: appsOfRun, maxLength: appsOfRun, size: 'max' }),
      async (alterations) => {
        const told = new Map<string, unknown>();
        const apps = alterations.map(({ line, field, value }) => {
          const { app, own } = copyOfApp();
          const index = line % own.length;
          const fieldsOf = Object.keys(own[index] ?? {}).slice(2);
          const name = fieldsOf[field % Math.max(1, fieldsOf.length)] ?? 'kind';
          own[index] = { ...own[index], [name]: value };
          told.set(app.packageName, `${JSON.stringify(own[index]).slice(0, 2_000)}: ${name}`);
          return { app, own };
        });
        const all = apps.flatMap(({ own }) => own);
        const report = await imported(database.connection, exportText(all, header));
        const counted = [report.imported, report.present].flatMap((counts) => Object.values(counts));
        expect(counted.reduce((sum, count) => sum + count, report.refused)).toBe(all.length);
        for (const problem of report.problems) expect(problem.length).toBeLessThan(330);
        const failed: string[] = [];
        for (const { app } of apps) {
          const { body } = await requestToken(server, app);
          const own = { ...app, token: body.access_token ?? app.token };
          const reads = everyCall([own, own], purchaseIds).filter(({ name }) => name.startsWith('GET'));
          for (const [name, make] of new Map(reads.map((one) => [one.name, one.make]))) {
            const { status } = await make(server);
            if (status >= 500) failed.push(`${name}: ${status}: ${told.get(app.packageName)}`);
          }
        }
        expect(failed).toEqual([]);
      },
    ),
    { numRuns: runs, endOnFailure: true },
  );
});

test('lines in any order, some of them twice, make the same store once the import has been repeated', async () => {
  const order = fc.array(fc.nat(), { minLength: 60, maxLength: 60 });
  await fc.assert(
    fc.asyncProperty(order, async (places) => {
      const { app, own } = copyOfApp();
      const shuffled = [...own, ...places.slice(own.length).map((place) => own[place % own.length] as Line)]
        .map((line, index) => ({ line, place: places[index] ?? index }))
        .sort((a, b) => a.place - b.place)
        .map(({ line }) => line);
      const text = exportText(shuffled, header);
      let refused = Number.POSITIVE_INFINITY;
      // Each time whatever a line names that was there is further: an app, a product, a subscription, a purchase.
      for (let times = 0; refused > 0; times += 1) {
        expect(times).toBeLessThan(longestChain);
        const report = await imported(database.connection, text);
        for (const problem of report.problems) expect(problem).toMatch(/: there is no /);
        refused = report.refused;
      }
      const back = (await exported(database.connection, [app.packageName])).trimEnd().split('\n');
      expect(back.slice(1, -1).map((line) => JSON.parse(line))).toEqual(own);
    }),
    { numRuns: 3 },
  );
});
