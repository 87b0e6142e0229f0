// Every command, its help, and its output for people and as JSON.

import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { callByPage, cookieOf, signIn } from '../../../test/support/calls/session-calls.ts';
import { freePort } from '../../../test/support/documents/free-port.ts';
import { makeScratch } from '../../../test/support/embedded/scratch.ts';
import {
  adminKey,
  createTestApp,
  recordKey,
  recordTestPurchase,
  startTestServer,
  useTestServer,
} from '../../../test/support/harness.ts';
import {
  type Ended,
  opentill,
  opentillHere,
  serverEnv,
} from '../../../test/support/start/program-process.ts';
import { writeTlsFiles } from '../../../test/support/start/test-certificate.ts';
import { settings } from '../../server/src/config/settings.ts';

const server = await useTestServer();

/** A command line as it is typed, without quotes. */
const run = (line: string, input?: string): Promise<Ended> =>
  opentillHere(line.split(' '), { env: serverEnv(server), ...(input !== undefined && { input }) });

async function json(line: string): Promise<unknown> {
  const { code, stdout, stderr } = await run(`${line} --json`);
  expect(code, stderr).toBe(0);
  return JSON.parse(stdout);
}

/** The lines that a command prints without --json. */
async function shown(line: string): Promise<string[]> {
  const { code, stdout, stderr } = await run(line);
  expect(code, stderr).toBe(0);
  return stdout.trimEnd().split('\n');
}

let apps = 0;
async function newApp(): Promise<string> {
  apps += 1;
  return (await createTestApp(server, `com.example.cli${apps}`)).packageName;
}

test('opentill app creates, lists, disables and enables apps, and rotates their secrets', async () => {
  const created = await run('app create com.example.new --name Game');
  expect(created.code).toBe(0);
  const [, secret = ''] = /^clientSecret +([\w-]{43})$/m.exec(created.stdout) ?? [];
  expect(secret).not.toBe('');
  expect(created.stderr).toBe('Keep the client secret now: it is not shown again.\n');
  const rotated = await json('app rotate-secret com.example.new --keep-previous-for 0');
  expect(rotated).toMatchObject({
    clientId: 'com.example.new',
    clientSecret: expect.not.stringContaining(secret),
  });
  expect(await json('app disable com.example.new')).toMatchObject({ name: 'Game', disabled: true });
  const [head, row] = await shown('app list');
  expect(head).toMatch(/^packageName +clientId +name +state +createdAt$/);
  expect(row).toMatch(/^com\.example\.new +com\.example\.new +Game +disabled +2026-03-15 12:00:00Z$/);
  expect(await json('app enable com.example.new')).toMatchObject({ disabled: false });
});

test('a time without a zone is in the time zone of the store, and of an hour that comes twice the first', async () => {
  await using berlin = await startTestServer({ env: { OPENTILL_TIME_ZONE: 'Europe/Berlin' } });
  const packageName = 'com.example.zone';
  await createTestApp(berlin, packageName);
  const timeOf = async (time: string, more: object = {}) => {
    const args = [
      'purchase',
      'record',
      packageName,
      'coins',
      '--price',
      '5',
      '--purchase-time',
      time,
      '--json',
    ];
    const { stdout, stderr } = await opentillHere(args, { env: { ...serverEnv(berlin), ...more } });
    return stderr === '' ? new Date(JSON.parse(stdout).purchaseTime).toISOString() : stderr;
  };
  expect(await timeOf('2026-03-15')).toBe('2026-03-14T23:00:00.000Z');
  expect(await timeOf('2026-03-15T12:00')).toBe('2026-03-15T11:00:00.000Z');
  expect(await timeOf('2025-10-26T02:30')).toBe('2025-10-26T00:30:00.000Z');
  expect(await timeOf('2025-10-26T02:30+01:00')).toBe('2025-10-26T01:30:00.000Z');
  expect(await timeOf('2026-02-30T12:00')).toContain('in the time zone of the store');
  expect(await timeOf('2026-03-15', { OPENTILL_OPERATOR_KEY: recordKey })).toBe(
    '2026-03-15: expected a time with Z or an offset, because these credentials cannot read the time zone of the store.\n',
  );
});

test('opentill purchase records and voids a purchase once, and shows, lists and finds it', async () => {
  const app = await newApp();
  const record = `purchase record ${app} coins --purchase-id P-1 --order-id o-${app} --buyer-id b-1 --price 5 --purchase-time 2026-03-15T11:00`;
  const recorded = await json(record);
  expect(recorded).toMatchObject({ purchaseId: 'P-1', price: 5, purchaseTime: Date.UTC(2026, 2, 15, 11) });
  expect(await json(record)).toEqual(recorded);
  expect(await json(`purchase list --order-id o-${app}`)).toEqual([recorded]);
  expect(await json(`purchase void ${app} P-1 --reason customer`)).toMatchObject({ voidReason: 'customer' });
  expect(await json(`purchase void ${app} P-1`)).toMatchObject({ voidReason: 'customer' });
  const text = (await shown(`purchase show ${app} P-1`)).join('\n');
  expect(text).toMatch(/^purchaseTime +2026-03-15 11:00:00Z$/m);
  expect(text).toMatch(/^2026-03-15 12:00:00Z +purchase\.completed +operator:admin +\S+$/m);
  expect(text).toMatch(/purchase\.voided/);
  const none = { code: 0, stdout: '', stderr: 'None.\n' };
  expect(await run(`purchase list ${app} --state completed`)).toEqual(none);
});

test('an id of an argument is compared as it is and, if nothing has it, without what surrounds it', async () => {
  const app = await newApp();
  for (const [purchaseId, buyerId] of [
    ['pasted-1', 'ann'],
    ['pasted-2', 'ann\u00a0'],
  ] as const)
    await recordTestPurchase(server, { packageName: app }, { purchaseId, buyerId });
  expect(await json(`purchase show \u200b${app} '\ufeffpasted-1\u00a0`)).toMatchObject({
    purchaseId: 'pasted-1',
  });
  const idsOf = async (buyerId: string) =>
    ((await json(`purchase list ${app}\u3000 --buyer-id ${buyerId}`)) as { purchaseId: string }[]).map(
      ({ purchaseId }) => purchaseId,
    );
  expect(await idsOf('ann\u00a0')).toEqual(['pasted-2']);
  expect(await idsOf('\u2068ann\u2069')).toEqual(['pasted-1']);
  expect(await shown(`event list ${app}\u2060`)).toHaveLength(3);
  expect(await json('call search --q \u200bpasted-1')).toMatchObject([{ kind: 'purchase', id: 'pasted-1' }]);
});

test('opentill renewals pauses, shows and resumes, and opentill subscription lists and settles an open charge', async () => {
  const app = await newApp();
  await recordTestPurchase(server, { packageName: app }, { productId: 'monthly', purchaseId: 'S-1' });
  await json(`fault put ${app} --operation charge --outcome pending`);
  await json(`clock advance ${app} --by P1M`);
  const row = (await shown(`subscription attempts ${app} S-1`)).at(-1);
  expect(row).toMatch(/^2 +1 +1 +open +2026-04-15 12:00:00Z +1 +/);
  const settle = `subscription settle ${app} S-1 1 1 --outcome paid --note seen`;
  expect(await json(settle)).toMatchObject({ state: 'settled', outcome: 'paid' });
  expect(await json(`renewals pause ${app} --note maintenance`)).toMatchObject({ paused: true });
  const text = (await shown(`renewals show ${app}`)).join('\n');
  expect(text).toMatch(/^paused +yes$/m);
  expect(text).toMatch(/^app +since 2026-\d\d-\d\d \S+Z by operator:admin: maintenance$/m);
  expect(await json(`renewals resume ${app}`)).toMatchObject({ paused: false, pauses: [] });
});

test('opentill subscription show counts periods from 1, and has the cause as a sentence and each event with its reason and note', async () => {
  const app = await newApp();
  await recordTestPurchase(server, { packageName: app }, { productId: 'monthly', purchaseId: 'S-1' });
  await json(`clock advance ${app} --by P1M`);
  await json(`purchase void ${app} S-1 --reason-code fraud --note stolen`);
  const text = (await shown(`subscription show ${app} S-1`)).join('\n');
  expect(text).toMatch(/^cause +Period 2 is paid, and auto-payment is on\.$/m);
  expect(text).toMatch(/^lastPeriod +2\nvoidedPeriods +1$/m);
  expect(text).toMatch(/^periods:\nperiod .*\n1 +S-1 .* voided\n2 .* completed$/m);
  expect(text).toMatch(
    /^events:\neventTime .*\n\S+ \S+ +purchase\.voided +1 +S-1 +operator:admin +fraud +stolen$/m,
  );
  const key = { ...serverEnv(server), OPENTILL_OPERATOR_KEY: recordKey };
  const { stdout } = await opentillHere(['subscription', 'show', app, 'S-1'], { env: key });
  expect(stdout).toMatch(/purchase\.voided +1 +S-1 +operator:admin$/m);
  expect((await shown(`purchase show ${app} S-1`)).join('\n')).toMatch(/^period +1$/m);
  const all = (await shown(`call getSubscription ${app} S-1`)).join('\n');
  for (const name of ['periods', 'attempts', 'events']) expect(all).toMatch(new RegExp(`^${name}:$`, 'm'));
});

test('opentill fault sets one fault from options or a list from a file or standard input, and clears them', async () => {
  const app = await newApp();
  const one = `fault put ${app} --operation consumePurchase --code 9202 --times 2`;
  expect(await json(one)).toEqual([{ operation: 'consumePurchase', code: 9202, times: 2, applied: 0 }]);
  const list = [{ operation: 'charge', outcome: 'declined' }];
  await using scratch = await makeScratch();
  const file = join(scratch.path, 'faults.json');
  await writeFile(file, JSON.stringify(list));
  expect(await json(`fault put ${app} --file ${file}`)).toMatchObject(list);
  const read = await run(`fault put ${app} --file -`, '[{"operation":"charge","outcome":"pending"}]');
  expect(read.stdout).toMatch(/^charge +outcome pending +0$/m);
  expect(await json(`fault list ${app}`)).toMatchObject([{ outcome: 'pending' }]);
  expect(await json(`fault clear ${app}`)).toEqual([]);
});

test('opentill audit list shows a void with its reason, and opentill call any operation with the first fields of a list', async () => {
  const app = await newApp();
  await recordTestPurchase(server, { packageName: app }, { purchaseId: 'p' });
  await json(`purchase void ${app} p --reason-code fraud --note stolen --ticket T-1`);
  const filter = `--app ${app} --operation voidPurchase --by operator:admin --subject p`;
  const why = { reasonCode: 'fraud', note: 'stolen', ticket: 'T-1' };
  expect(await json(`audit list ${filter} --from 2026-01-01 --to 2027-01-01`)).toMatchObject([why]);
  const [, row] = await shown(`audit list ${filter}`);
  expect(row).toMatch(/ voidPurchase +operator:admin +127\.0\.0\.1 +p +fraud +T-1 +stolen$/);
  expect((await shown(`call listPurchases --app ${app}`))[1]).toMatch(/^com\.example\.cli\d+ +p +coins /);
  expect(await run(`call expelTokens ${app}`)).toEqual({ code: 0, stdout: '', stderr: 'Done.\n' });
});

describe('rejected calls', () => {
  test('a rejected call is reported in one line with the id of the request, and the exit code is 1', async () => {
    const { code, stdout, stderr } = await run('app disable com.example.none');
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^.*com\.example\.none.* \(request \S+\)\n$/);
  });

  test('no error contains the operator key, whether it is wrong or the server is unreachable', async () => {
    const wrong = 'wrong-operator-key-0123456789';
    const env = { ...serverEnv(server), OPENTILL_OPERATOR_KEY: wrong };
    const refused = await opentillHere(['app', 'list'], { env });
    expect(refused.code).toBe(1);
    expect(refused.stderr.split('\n')).toHaveLength(2);
    const listAt = (url: string) => opentillHere(['app', 'list', '--operator-url', url], { env });
    const away = await listAt(`http://127.0.0.1:${await freePort()}`);
    expect([away.code, away.stderr]).toEqual([1, expect.stringMatching(/is a server running there\?\n$/)]);
    const unknown = await listAt('https://no-such-host.invalid');
    expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringMatching(/no-such-host\.invalid\.\n$/)]);
    for (const { stdout, stderr } of [refused, away, unknown]) {
      expect(stdout + stderr).not.toContain(wrong);
      expect(stdout + stderr).not.toContain(adminKey);
    }
  });
});

test('a command finds a server with a private certificate by OPENTILL_OPERATOR_URL and trusts it with OPENTILL_CA or --ca only', async () => {
  await using scratch = await makeScratch();
  const files = await writeTlsFiles(scratch.path);
  const { OPENTILL_TLS_CERT: ca, OPENTILL_TLS_KEY: key } = files;
  await using secure = await startTestServer({ env: files });
  const env = { OPENTILL_OPERATOR_URL: secure.operatorUrl, OPENTILL_OPERATOR_KEY: adminKey };
  const list = (args: readonly string[], more = {}) =>
    opentill(['app', 'list', ...args], { env: { ...env, ...more } });
  const untrusted = await list([]);
  expect([untrusted.code, untrusted.stderr]).toEqual([
    1,
    expect.stringMatching(/self-signed certificate: trust its authority with --ca or OPENTILL_CA\.\n$/),
  ]);
  expect(untrusted.stderr).not.toContain('is a server running');
  for (const trusted of [await list(['--ca', ca]), await list([], { OPENTILL_CA: ca })])
    expect([trusted.code, trusted.stderr]).toEqual([0, 'None.\n']);
  const wrong = await list(['--ca', key]);
  expect([wrong.code, wrong.stderr]).toEqual([2, `--ca: expected PEM certificates in ${key}.\n`]);
});

test('a command reads the operator key from a file, a data folder or a variable, and a flag takes precedence', async () => {
  await using scratch = await makeScratch();
  const folder = scratch.path;
  await writeFile(join(folder, 'operator.key'), `${adminKey}\n`);
  const { OPENTILL_OPERATOR_PORT = '' } = serverEnv(server);
  const env = { OPENTILL_OPERATOR_PORT, OPENTILL_OPERATOR_KEY: 'wrong-operator-key-0123456789' };
  const file = join(folder, 'operator.key');
  const ways = [
    opentillHere(['app', 'list', '--operator-key-file', file], { env }),
    opentillHere(['app', 'list', '--data-dir', folder], { env }),
    opentillHere(['app', 'list'], { env: { OPENTILL_OPERATOR_PORT, OPENTILL_DATA_DIR: folder } }),
    opentillHere(['app', 'list'], { env: { OPENTILL_OPERATOR_PORT, OPENTILL_OPERATOR_KEY_FILE: file } }),
  ];
  for (const { code, stderr } of await Promise.all(ways)) expect(code, stderr).toBe(0);
  const none = await opentill(['app', 'list'], { env: { OPENTILL_OPERATOR_PORT }, cwd: tmpdir() });
  expect([none.code, none.stdout]).toEqual([2, '']);
  expect(none.stderr).toMatch(/^No operator key: set OPENTILL_OPERATOR_KEY, or use .*\n$/);
});

test.each(['serve', 'doctor'])('%s --help lists a flag for every setting', async (name) => {
  const { stdout } = await opentillHere([name, '--help']);
  const flags = [...stdout.matchAll(/^ {2}(--[a-z-]+) .*\n(?: {4}.*\n)*/gm)].flatMap(([text, flag]) => {
    const [, setting] = /\((\w+); default/.exec(text.replaceAll(/\s+/g, ' ')) ?? [];
    return setting === undefined ? [] : [[setting, flag]];
  });
  const expected = Object.keys(settings).map((setting) => [
    setting,
    `--${setting.replace('OPENTILL_', '').toLowerCase().replaceAll('_', '-')}`,
  ]);
  expect(flags).toEqual(expected);
});

test.each([
  ['an unknown command', ['creat'], /^error: unknown command 'creat'\n/],
  ['a missing argument', ['app', 'create'], /^error: missing required argument 'package-name'\n$/],
  ['an invalid choice', ['purchase', 'void', 'a', 'b', '--reason', 'x'], /Expected customer or system\.\n$/],
  ['neither of two alternative options', ['clock', 'advance', 'a'], /^Use exactly one of --by and --to\.\n$/],
])('a command line with %s is rejected in one line with the exit code 2', async (_, args, line) => {
  const env = { OPENTILL_OPERATOR_KEY: 'operator-key-0123456789' };
  const { code, stdout, stderr } = await opentillHere(args, { env });
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toMatch(line);
});

test.each([
  ['console', 'admin'],
  ['console --role read', 'read'],
])('opentill %s prints a link that signs in as admin with the role %s', async (line, role) => {
  const { code, stdout, stderr } = await opentill(`${line} --json`.split(' '), { env: serverEnv(server) });
  expect(code, stderr).toBe(0);
  const [address, secret] = (JSON.parse(stdout).url as string).split('#');
  expect(address).toBe(`${server.operatorUrl}/console/sign-in`);
  const cookie = cookieOf(await signIn(server, { code: secret }));
  const session = await callByPage(server, '/sessions/current', { headers: { cookie } });
  expect(session.body).toMatchObject({ madeBy: 'operator:admin', role });
});
