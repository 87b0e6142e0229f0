// Measures reads of the purchase API while consoles are open, next to reads without one, in alternating rounds.

import { setTimeout as pause } from 'node:timers/promises';
import { type App, connections, readRequests } from './apps.ts';
import { runLoad } from './load.ts';
import { median, report } from './report.ts';
import { adminKey, type Listeners } from './servers.ts';

const consoles = 20;
const rounds = 5;
const seconds = 3;
const targetShare = 0.9;

/** How often an open overview makes its calls (packages/console/src/api/overview.ts), and of how many apps. */
const refreshMs = 30_000;
const shownApps = 10;
const retryMs = 1_000;

function callsOfOverview(packageName: string): readonly string[] {
  const ofApps = Array.from({ length: shownApps }, (_, n) => {
    const name = n === 0 ? packageName : `com.example.other${String(n).padStart(5, '0')}`;
    return [`/apps/${name}/purchases?pageSize=6`, `/renewals?packageName=${name}`];
  });
  return [
    `/apps?pageSize=${shownApps}`,
    '/webhooks?pageSize=6',
    '/voids?pageSize=6',
    '/renewals',
    ...ofApps.flat(),
  ];
}

/** The headers of a page of the console with a session of its own. */
async function signIn({ operatorUrl }: Listeners): Promise<Readonly<Record<string, string>>> {
  const response = await fetch(`${operatorUrl}/operator/v1/sessions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
    body: JSON.stringify({ key: adminKey }),
  });
  if (response.status !== 201) throw new Error(await response.text());
  const [cookie = ''] = (response.headers.get('set-cookie') ?? '').split(';');
  return { cookie, 'sec-fetch-site': 'same-origin' };
}

/** The calls of an open overview and of a live list, until `closing`. */
async function keepOpen(
  { operatorUrl }: Listeners,
  headers: Readonly<Record<string, string>>,
  { packageName, closing }: { readonly packageName: string; readonly closing: AbortSignal },
): Promise<void> {
  const get = async (path: string): Promise<void> => {
    const response = await fetch(`${operatorUrl}/operator/v1${path}`, { headers, signal: closing });
    const text = await response.text();
    // A page waits as long as the server says and tries again.
    if (response.status === 503) await pause(retryMs, undefined, { signal: closing });
    else if (!response.ok) throw new Error(`GET ${path}: ${response.status} ${text}`);
  };
  const calls = callsOfOverview(packageName);
  const poll = async (): Promise<void> => {
    await pause(Math.random() * refreshMs * (1 / calls.length), undefined, { signal: closing });
    for (let n = 0; ; n += 1) {
      await get(calls[n % calls.length] ?? '');
      await pause(refreshMs / calls.length, undefined, { signal: closing });
    }
  };
  const listen = async (): Promise<void> => {
    for (;;) await get(`/apps/${packageName}/events?after=now&waitSeconds=20`);
  };
  await Promise.all([poll(), listen()]).catch((error: unknown) => {
    if (!closing.aborted) throw error;
  });
}

export async function measureOpenConsoles(server: Listeners, app: App, purchases: number): Promise<void> {
  const readsPerSecond = async (): Promise<number> => {
    const requestsOf = (connection: number) => readRequests([app], 'p', purchases, connection);
    return (await runLoad({ url: server.publicUrl, connections, extent: { seconds }, requestsOf })).perSecond;
  };
  const sessions = await Promise.all(Array.from({ length: consoles }, () => signIn(server)));
  const withConsoles = async (): Promise<number> => {
    const closing = new AbortController();
    const place = { packageName: app.packageName, closing: closing.signal };
    const open = sessions.map((session) => keepOpen(server, session, place));
    const measured = await Promise.race([readsPerSecond(), Promise.all(open).then(() => Number.NaN)]);
    closing.abort();
    await Promise.all(open);
    return measured;
  };
  await readsPerSecond();
  const ratios: number[] = [];
  const noise: number[] = [];
  const without: number[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    const before = await readsPerSecond();
    const beside = await withConsoles();
    const after = await readsPerSecond();
    without.push(before);
    ratios.push(beside / ((before + after) / 2));
    noise.push(after / before);
  }
  report('getPurchaseDetails per second without a console', median(without));
  report('  share of it, measured again', median(noise));
  report(`  share of it with ${consoles} open consoles`, median(ratios), { least: targetShare });
}
