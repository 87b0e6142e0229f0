// Exports with an altered value: an import accepts or rejects each, and no call fails because of an accepted one.

import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { StartProblem } from '../../src/runtime/start-problem.ts';
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
    .map((line) => JSON.parse(line) as Line)
    .filter(({ kind }) => kind !== 'action');
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
/** The lines of the app under another name, which would break the chain of its actions. */
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

test('an altered value is accepted or rejected, and no call fails because of an accepted one', {
  timeout: 300_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(alteration, { minLength: appsOfRun, maxLength: appsOfRun, size: 'max' }),
      async (alterations) => {
        const failed: string[] = [];
        for (const { line, field, value } of alterations) {
          const { app, own } = copyOfApp();
          const index = line % own.length;
          const fieldsOf = Object.keys(own[index] ?? {}).slice(2);
          const name = fieldsOf[field % Math.max(1, fieldsOf.length)] ?? 'kind';
          own[index] = { ...own[index], [name]: value };
          const result = await imported(database.connection, exportText(own, header)).catch(
            (error: unknown) => error,
          );
          if (result instanceof StartProblem) {
            const [, problems = ''] =
              /^Nothing was imported\.(?: \d+ problems:\n| )(.+)$/s.exec(result.message) ?? [];
            for (const problem of problems.split('\n')) {
              expect(problem).toMatch(/^(?:Line \d+|The \w+ [^:]+|Action [^:]+): .{1,303}$/);
            }
            continue;
          }
          expect(result).toHaveProperty('imported');
          const { body } = await requestToken(server, app);
          const current = { ...app, token: body.access_token ?? app.token };
          const reads = everyCall([current, current], purchaseIds).filter(({ name: call }) =>
            call.startsWith('GET'),
          );
          for (const [call, make] of new Map(reads.map((one) => [one.name, one.make]))) {
            const { status } = await make(server);
            if (status >= 500) failed.push(`${call}: ${status}: ${name}: ${JSON.stringify(own[index])}`);
          }
        }
        expect(failed).toEqual([]);
      },
    ),
    { numRuns: runs, endOnFailure: true },
  );
});
