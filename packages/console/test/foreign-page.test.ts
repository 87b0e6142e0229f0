// Pages of other origins in the browser of an operator who is signed in: none of them reads or writes anything.

import { createServer } from 'node:http';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { useConsole } from '../../../test/support/browser/browser.ts';
import { adminKey, createTestApp, recordTestPurchase, useForFile } from '../../../test/support/harness.ts';
import { listenOnLoopback } from '../../../test/support/loopback.ts';

const logLines: string[] = [];
const { openSignedIn, operator, server } = await useConsole({ logLines });
const { packageName } = await createTestApp(server, 'com.example.target');
await recordTestPurchase(server, { packageName }, { purchaseId: 'kept' });

const port = new URL(server.operatorUrl).port;
/** Another site, on a port of its own under every name of this machine. */
const site = createServer((_request, response) => {
  response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>Other</title><body>');
});
const other = await useForFile(listenOnLoopback(site));

const reads = ['/apps', '/sessions/current', '/search?q=kept', `/apps/${packageName}/purchases/kept`];
const writes = [
  `/apps/${packageName}/purchases/kept/void`,
  `/apps/${packageName}/expel-tokens`,
  `/apps/${packageName}/reset`,
  '/renewals/pause',
  '/sessions',
];

/** Runs in a page: makes every kind of call to `api`, and returns the responses that the page could read. */
const attack = (api: string) => `(async () => {
  const readable = [];
  const attempt = (path, options) =>
    fetch(${JSON.stringify(api)} + path, { credentials: 'include', ...options })
      .then(async (response) => response.type === 'opaque' || readable.push(path + ': ' + (await response.text())))
      .catch(() => undefined);
  const make = (name, properties) => document.body.appendChild(Object.assign(document.createElement(name), properties));
  const loaded = (element) => new Promise((resolve) => (element.onload = element.onerror = resolve));
  const load = (name, path) => loaded(make(name, { src: ${JSON.stringify(api)} + path }));
  const frame = async (path) => {
    const { contentDocument } = (await load('iframe', path)).target;
    if (contentDocument !== null) readable.push(path + ': ' + contentDocument.body.innerText);
  };
  const submit = (path, enctype) => {
    const frame = make('iframe', { name: path + enctype });
    const form = make('form', { action: ${JSON.stringify(api)} + path, method: 'POST', enctype, target: frame.name });
    form.append(Object.assign(document.createElement('input'), { name: '{"note":"', value: '"}' }));
    form.submit();
    return loaded(frame);
  };
  const read = (path) => [
    attempt(path, {}),
    attempt(path, { mode: 'no-cors' }),
    load('img', path),
    load('script', path),
    frame(path),
  ];
  const headers = { 'content-type': 'application/json' };
  const body = ${JSON.stringify(JSON.stringify({ key: adminKey }))};
  const write = (path) => [
    ...[{}, { headers }, { body }, { headers, body }].flatMap((sent) => [
      attempt(path, { method: 'POST', ...sent }),
      attempt(path, { method: 'POST', mode: 'no-cors', ...sent }),
    ]),
    ...['text/plain', 'application/x-www-form-urlencoded'].map((enctype) => submit(path, enctype)),
    navigator.sendBeacon(${JSON.stringify(api)} + path, body),
  ];
  await Promise.all([
    ...${JSON.stringify(reads)}.flatMap(read),
    ...${JSON.stringify(writes)}.flatMap(write),
    attempt('/sessions/current', { method: 'DELETE' }),
  ]);
  return readable;
})()`;

/** The calls of the API that the server has responded to since the lines were cleared. */
const respondedCalls = () =>
  logLines
    .map((line) => JSON.parse(line) as { operationId?: string; status?: number })
    .filter(({ operationId, status }) => status !== undefined && operationId !== 'console');

/** The page of an operator who is signed in, which all tests share. */
const page = await openSignedIn({ key: adminKey });
await isShown(page);

/** Waits until the overview is there and has ended its calls, which the server would log among those of the others. */
async function isShown(page: Page): Promise<void> {
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  await page.waitForLoadState('networkidle');
}

const stateOfStore = async () => ({
  purchase: await operator.getPurchase({ packageName, purchaseId: 'kept' }),
  renewals: await operator.getRenewals({}),
  changes: (await operator.listActions({})).actions,
});

test.each([
  ['on another port', `http://127.0.0.1:${other.port}/`, server.operatorUrl],
  ['under another name of this machine', `http://localhost:${other.port}/`, server.operatorUrl],
  ['of this server under another name', `http://localhost:${port}/console/`, server.operatorUrl],
  ['whose name was rebound to this server', `http://rebound.localhost:${port}/`, ''],
])('a page %s reads and writes nothing with the session of an operator', async (_, foreignUrl, origin) => {
  await page.goto('about:blank');
  const before = await stateOfStore();
  logLines.length = 0;
  await page.goto(foreignUrl);
  const readable = (await page.evaluate(attack(`${origin}/operator/v1`))) as string[];
  await expect.poll(respondedCalls).not.toEqual([]);
  expect(respondedCalls().filter(({ status = 0 }) => status < 400)).toEqual([]);
  expect(readable.filter((text) => !text.includes('misdirected-request'))).toEqual([]);
  expect(await stateOfStore()).toEqual(before);
  // The session is still there: each of these calls failed for its origin.
  await page.goto(`${server.operatorUrl}/console/`);
  await isShown(page);
});

test('a page of another origin can neither show the console in a frame nor open it as its own', async () => {
  await page.goto(`http://127.0.0.1:${other.port}/`);
  const consoleUrl = JSON.stringify(`${server.operatorUrl}/console/`);
  await page.evaluate(`new Promise((resolve) => {
    const frame = document.createElement('iframe');
    frame.src = ${consoleUrl};
    frame.onload = resolve;
    document.body.append(frame);
  })`);
  await expect.poll(() => page.frames()[1]?.url()).toMatch(/^chrome-error:/);
  const [popup] = await Promise.all([
    page.context().waitForEvent('page'),
    page.evaluate(`void (window.opened = window.open(${consoleUrl}))`),
  ]);
  await popup.getByRole('heading', { name: 'Overview' }).waitFor();
  expect(await popup.evaluate('window.opener')).toBeNull();
});
