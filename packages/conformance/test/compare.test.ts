// Purchases at two hosts: what differs, what a change between two reads may do, tokens, the rate and the exit codes.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Command } from 'commander';
import { expect, test } from 'vitest';
import { tryConsume, voidTestPurchase } from '../../../test/support/calls/purchase-changes.ts';
import { makeScratch } from '../../../test/support/embedded/scratch.ts';
import { recordTestPurchase, testNow, useForFile } from '../../../test/support/harness.ts';
import { addConformanceCommand, secretVariable } from '../src/command.ts';
import { type ComparedPurchase, comparePurchases } from '../src/compare.ts';
import { type Fault, failed, startPlantedServer } from './planted-server.ts';

const planted = await useForFile(startPlantedServer());
const { server, app, origin, target } = planted;
const folder = (await useForFile(makeScratch())).path;

/** The new host is the server itself, the old one a proxy before it. */
const newOrigin = server.publicUrl;

const record = async (productId = 'coins') =>
  (await recordTestPurchase(server, app, { productId })).purchaseId;
const [untouched, consumed, voided, subscription] = [
  ...[await record(), await record(), await record()],
  await record('monthly'),
] as const;
await tryConsume(server, app, consumed);
await voidTestPurchase(server, app, voided);

/** Changes the details of a purchase in the next `times` responses of the old host. */
function changing(purchaseId: string, change: object, times = Number.POSITIVE_INFINITY): Fault {
  let left = times;
  return async (seen, respond) => {
    const reply = await respond(seen);
    if (!seen.path.includes(`details/${purchaseId}/`) || left <= 0) return reply;
    left -= 1;
    return { ...reply, body: { ...(reply.body as object), ...change } };
  };
}

async function compare(purchaseIds: readonly string[], fault?: Fault) {
  planted.plant(fault);
  const results: ComparedPurchase[] = [];
  const pauses: number[] = [];
  let now = testNow;
  const counts = await comparePurchases({
    targets: [target, { ...target, origin: newOrigin }],
    purchaseIds,
    rate: 10,
    callTimeoutMs: 10_000,
    signal: new AbortController().signal,
    onResult: (result) => results.push(result),
    machine: {
      now: () => now,
      async pause(ms) {
        pauses.push(ms);
        now += ms;
      },
    },
  });
  return { counts, results, pauses };
}

test('purchases of every state are equal at two hosts that have them, and a difference is named field by field', async () => {
  const all = [untouched, consumed, voided, subscription];
  expect((await compare(all)).counts).toEqual({ equal: 4, different: 0, inconclusive: 0 });
  const change = { consumptionState: 7, purchaseTime: undefined };
  const { counts, results } = await compare(all, changing(consumed, change));
  expect(counts).toMatchObject({ equal: 3, different: 1 });
  expect(results).toEqual([
    {
      purchaseId: consumed,
      differences: [
        { field: 'consumptionState', oldValue: 7, newValue: 1 },
        { field: 'purchaseTime', oldValue: undefined, newValue: testNow },
      ],
    },
  ]);
  const renewing = await compare(all, changing(subscription, { autoRenewing: false }));
  expect(renewing.results).toMatchObject([
    {
      purchaseId: subscription,
      differences: [
        { field: 'autoRenewing' },
        { field: 'last.autoRenewing', oldValue: false, newValue: true },
      ],
    },
  ]);
});

test('a purchase that one host does not have differs, and one that neither has is not compared', async () => {
  const missing: Fault = (seen, respond) => (seen.path.includes(untouched) ? failed(9200) : respond(seen));
  const { results } = await compare([untouched, 'NO-SUCH'], missing);
  expect(results).toEqual(
    expect.arrayContaining([
      { purchaseId: 'NO-SUCH', because: 'neither host has a purchase with this id.' },
      expect.objectContaining({
        purchaseId: untouched,
        differences: expect.arrayContaining([{ field: 'error', oldValue: 9200, newValue: undefined }]),
      }),
    ]),
  );
});

test('a pair that differs is read again after a second, because it may have changed in between', async () => {
  const { counts, pauses } = await compare([untouched], changing(untouched, { consumptionState: 7 }, 1));
  expect(counts).toEqual({ equal: 1, different: 0, inconclusive: 0 });
  expect(pauses).toContain(1_000);
});

test('each host has its own token, which is renewed before it ends and after a 401', async () => {
  let rejections = 1;
  const expelled: Fault = (seen, respond) => {
    if (!seen.path.includes('details') || rejections === 0) return respond(seen);
    rejections -= 1;
    return failed(401);
  };
  expect((await compare([untouched], expelled)).counts.equal).toBe(1);
  const tokens = () => planted.calls.filter(({ path }) => path.endsWith('/token')).length;
  expect(tokens()).toBe(2);
  const short: Fault = async (seen, respond) => {
    const reply = await respond(seen);
    return seen.path.endsWith('/token')
      ? { ...reply, body: { ...(reply.body as object), expires_in: 600 } }
      : reply;
  };
  expect((await compare(Array(30).fill(untouched), short)).counts.equal).toBe(30);
  expect(tokens()).toBeGreaterThan(1);
});

test('calls to a host keep the rate', async () => {
  const { pauses } = await compare(Array(5).fill(untouched));
  const waited = pauses.filter((ms) => ms > 0);
  expect(waited.length).toBeGreaterThan(0);
  expect(Math.max(...waited)).toBeLessThanOrEqual(400);
});

test('the command prints what differs and ends with 1, with 3 if something was not compared, and with 2 for an invalid line', async () => {
  const file = join(folder, 'ids');
  const run = async (ids: string, args: readonly string[], fault?: Fault) => {
    planted.plant(fault);
    await writeFile(file, ids);
    let [printed, exitCode] = ['', 0];
    const program = new Command('opentill').exitOverride().configureOutput({ writeErr: () => undefined });
    addConformanceCommand(program, {
      env: { [secretVariable]: app.clientSecret },
      write: (text) => {
        printed += text;
      },
      colours: false,
      setExitCode: (code) => {
        exitCode = code;
      },
    });
    const line = ['conformance', '--client-id', app.clientId, '--rate', '1000', ...args];
    await program.parseAsync(line, { from: 'user' }).catch((error) => {
      exitCode = error.exitCode;
    });
    return { exitCode, printed };
  };
  const hosts = ['--compare', origin, newOrigin, '--ids', file];
  const equal = await run(`${untouched}\n${consumed}\n`, hosts);
  expect(equal).toEqual({ exitCode: 0, printed: '2 equal, 0 different, 0 not compared\n' });
  const different = await run(consumed, hosts, changing(consumed, { consumptionState: 0 }));
  expect(different).toEqual({
    exitCode: 1,
    printed: `${consumed}  consumptionState: 0 -> 1\n0 equal, 1 different, 0 not compared\n`,
  });
  expect((await run('NO-SUCH', hosts)).exitCode).toBe(3);
  const away = await run(untouched, ['--compare', origin, 'http://127.0.0.1:9', '--ids', file]);
  expect([away.exitCode, away.printed]).toEqual([1, expect.stringContaining('ECONNREFUSED')]);
  expect((await run(untouched, ['--compare', origin, '--ids', file])).exitCode).toBe(2);
  expect((await run(untouched, [...hosts, '--rate', '0'])).exitCode).toBe(2);
});
