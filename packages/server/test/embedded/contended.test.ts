import { afterAll, beforeAll, expect, test } from 'vitest';
import { startEmbeddedPostgres } from '../../src/embedded/start-embedded-postgres.ts';
import { makeScratch, query, type Scratch } from './scratch.ts';
import { startServerProcess } from './server-process.ts';

const refusal = /^another OpenTill server is running on the data folder /;

/** New to the first test, and to the others the data folder that it has left. */
let scratch: Scratch;

beforeAll(async () => {
  scratch = await makeScratch();
});

afterAll(() => scratch[Symbol.asyncDispose]());

test('of servers that start at the same instant exactly one wins, on a new data folder and on an old one', async () => {
  for (const round of ['new', 'old']) {
    const servers = [startServerProcess(scratch), startServerProcess(scratch), startServerProcess(scratch)];
    const outcomes = await Promise.all(servers.map((server) => server.outcome()));
    const losers = outcomes.filter((outcome) => outcome !== 'ready');
    expect(losers, round).toHaveLength(2);
    for (const loser of losers) expect(loser).toMatch(refusal);
    const winner = servers[outcomes.indexOf('ready')];
    const connection = await winner?.ready();
    expect(await query(connection ?? {}, 'select 1 as one')).toEqual([{ one: 1 }]);
    for (const server of servers) await server[Symbol.asyncDispose]();
  }
});

test('a second server on a data folder says so and leaves the first one alone', async () => {
  await using postgres = await startEmbeddedPostgres(scratch);
  await using second = startServerProcess(scratch);
  expect(await second.problem()).toMatch(refusal);
  expect(await second.ended()).toBe(1);
  expect(await query(postgres.connection, 'select 1 as one')).toEqual([{ one: 1 }]);
});

test('two starts in one process are told apart as well', async () => {
  const starts = await Promise.allSettled([startEmbeddedPostgres(scratch), startEmbeddedPostgres(scratch)]);
  try {
    const refused = starts.filter((start) => start.status === 'rejected');
    expect(refused.map((start) => String(start.reason.message))).toEqual([expect.stringMatching(refusal)]);
  } finally {
    for (const start of starts) if (start.status === 'fulfilled') await start.value.stop();
  }
});

test('a stop and a start in the same instant follow each other', async () => {
  const first = await startEmbeddedPostgres(scratch);
  const stopping = first.stop();
  await using second = await startEmbeddedPostgres(scratch);
  await stopping;
  expect(await query(second.connection, 'select 1 as one')).toEqual([{ one: 1 }]);
});
