// How often a wrong secret gets 400 before it gets 429, and for whom it is counted.

import { describe, expect, test } from 'vitest';
import { createTestApp, startTestServer, type TestServer, testNow, useTestServer } from '../harness.ts';
import { expectFailure } from '../purchase-api/purchase-call.ts';
import { setClientSecret } from '../stage.ts';
import { formContentType, formOf, postForm, wrongClient } from './token-call.ts';

const server = await useTestServer();
const app = await createTestApp(server);

describe('wrong secrets', () => {
  test('wrong secrets get 400 a hundred times a minute and then 429, and a valid one is never rejected', async () => {
    await server.clock.set(testNow);
    const guessed = await createTestApp(server, 'com.example.guessed');
    const wrong = formOf({ ...guessed, clientSecret: 'wrong' });
    for (let count = 1; count <= 100; count += 1) {
      expectFailure(await postForm(server, wrong), 'invalidTokenRequest', wrongClient);
    }
    const refused = await postForm(server, wrong);
    expectFailure(refused, 'tooManyRequests');
    expect(refused.headers.get('retry-after')).toBe('60');
    expect((await postForm(server, formOf(guessed))).status).toBe(200);
    expectFailure(await postForm(server, wrong), 'tooManyRequests');
    // Other clients are counted separately.
    const other = formOf({ ...app, clientSecret: 'wrong' });
    expectFailure(await postForm(server, other), 'invalidTokenRequest', wrongClient);
    await server.clock.advance(20_500);
    expect((await postForm(server, wrong)).headers.get('retry-after')).toBe('40');
    await server.clock.advance(60_000 - 20_500 - 1);
    const last = await postForm(server, wrong);
    expectFailure(last, 'tooManyRequests');
    expect(last.headers.get('retry-after')).toBe('1');
    await server.clock.advance(1);
    expectFailure(await postForm(server, wrong), 'invalidTokenRequest', wrongClient);
  });

  test('the count of wrong secrets restarts if the clock goes back', async () => {
    await server.clock.set(testNow);
    const wrong = { ...formOf(app), client_id: 'com.example.back' };
    for (let count = 1; count <= 100; count += 1) await postForm(server, wrong);
    expectFailure(await postForm(server, wrong), 'tooManyRequests');
    await server.clock.set(testNow - 30_000);
    expectFailure(await postForm(server, wrong), 'invalidTokenRequest', wrongClient);
    await server.clock.set(testNow);
  });

  test('wrong secrets of unknown clients count as well, so 429 reveals nothing about a client', async () => {
    await server.clock.set(testNow);
    const unknown = { ...formOf(app), client_id: 'com.example.nobody' };
    const statuses: number[] = [];
    for (let count = 1; count <= 101; count += 1) statuses.push((await postForm(server, unknown)).status);
    expect(statuses).toEqual([...new Array(100).fill(400), 429]);
  });
});

describe('secrets with a "+"', () => {
  test('a "+" that was sent unencoded is accepted in production, and a wrong secret with spaces counts once', async () => {
    await using production = await startTestServer({ env: { OPENTILL_ENVIRONMENT: 'production' } });
    const imported = await createTestApp(production);
    await setClientSecret(production, imported, 'Zm9v+YmFy/cXV4+');
    const form = (secret: string) =>
      `client_id=${imported.clientId}&client_secret=${secret}&grant_type=client_credentials`;
    const statuses: number[] = [];
    for (let count = 0; count <= 100; count += 1) {
      statuses.push((await postForm(production, form('Zm9v+YmFy/cXV4'))).status);
    }
    expect(statuses).toEqual([...new Array(100).fill(400), 429]);
    expect((await postForm(production, form('Zm9v+YmFy/cXV4+'))).status).toBe(200);
    expect((await postForm(production, form('Zm9v%2BYmFy%2FcXV4%2B'))).status).toBe(200);
  });
});

describe('shared counts of wrong secrets', () => {
  async function statusesOf(at: TestServer, form: (count: number) => Record<string, string>) {
    const statuses: number[] = [];
    for (let count = 0; count <= 100; count += 1) {
      const forwarded = `192.0.2.${count}, 198.51.100.1`;
      const headers = { 'content-type': formContentType, 'x-forwarded-for': forwarded };
      statuses.push((await postForm(at, form(count), headers)).status);
    }
    return statuses;
  }
  const refusedAfter100 = [...new Array(100).fill(400), 429];

  test('client ids beyond the maximum length that share a prefix count together', async () => {
    await server.clock.set(testNow);
    const form = (count: number) => ({ ...formOf(app), client_id: 'x'.repeat(255) + count });
    expect(await statusesOf(server, form)).toEqual(refusedAfter100);
  });

  test('an address that forges X-Forwarded-For counts as one, behind a proxy or not', async () => {
    await server.clock.set(testNow);
    const form = () => ({ ...formOf(app), client_id: 'com.example.forwarded' });
    expect(await statusesOf(server, form)).toEqual(refusedAfter100);
    await using proxied = await startTestServer({ env: { OPENTILL_BEHIND_TLS_PROXY: 'true' } });
    expect(await statusesOf(proxied, form)).toEqual(refusedAfter100);
    // A value that is not an address counts for the address of the proxy.
    const unknown = async (count: number) => {
      const headers = { 'content-type': formContentType, 'x-forwarded-for': `caller-${count}` };
      return (await postForm(proxied, form(), headers)).status;
    };
    const statuses = await Promise.all(Array.from({ length: 101 }, (_, count) => unknown(count)));
    expect(statuses.toSorted()).toEqual(refusedAfter100);
    // Another client of the same proxy is counted separately.
    const headers = { 'content-type': formContentType, 'x-forwarded-for': '192.0.2.0, 198.51.100.2' };
    expect((await postForm(proxied, form(), headers)).status).toBe(400);
  });
});
