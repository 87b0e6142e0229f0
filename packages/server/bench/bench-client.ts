// npm run bench:client: calls a second through the client against the bare fetch doing the same, in turn, on the
// same server; each number is the median of several rounds.

import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PurchaseClient } from '@opentill/client';
import { OperatorClient } from '@opentill/client/operator';
import { removeDataFolder } from '../test/embedded/scratch.ts';
import { startLedger } from './bench-ledger.ts';
import { startChild } from './child-server.ts';
import { median } from './report.ts';

const rounds = 9;
const callers = 32;
const roundMs = 3_000;
const warmUpMs = 3_000;
const purchases = 200;
const bar = 0.9;

const adminKey = 'bench-admin-key-0123456789';
const packageName = 'com.bench.client';
const purchaseId = (n: number) => `B${n % purchases}`;

/** Calls a second that so many callers make, each one after the other. */
async function callsPerSecond(call: (n: number) => Promise<unknown>, forMs: number): Promise<number> {
  let made = 0;
  const since = performance.now();
  const until = since + forMs;
  const caller = async (): Promise<void> => {
    while (performance.now() < until) {
      await call(made);
      made += 1;
    }
  };
  await Promise.all(Array.from({ length: callers }, caller));
  return (made * 1_000) / (performance.now() - since);
}

async function makeCalls(operatorUrl: string, host: string) {
  const operator = new OperatorClient({ host: operatorUrl, operatorKey: adminKey });
  const { clientId, clientSecret } = await operator.createApp({ packageName });
  const product = { type: 'one_time', price: 499, currency: 'EUR' } as const;
  await operator.putProduct({ packageName, productId: 'coins', ...product });
  for (let n = 0; n < purchases; n += 1) {
    await operator.recordPurchase({ packageName, productId: 'coins', purchaseId: purchaseId(n) });
  }
  const client = new PurchaseClient({ host, clientId, clientSecret, packageName });
  const { access_token: token } = await client.getAccessToken();
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  return {
    client: (n: number) => client.getPurchaseDetails({ purchaseId: purchaseId(n) }),
    bare: async (n: number) => {
      const response = await fetch(`${host}/v2/purchase/details/${purchaseId(n)}/${packageName}`, {
        headers,
      });
      return await response.json();
    },
  };
}

async function main(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'opentill-bench-'));
  await using stack = new AsyncDisposableStack();
  stack.defer(() => removeDataFolder(folder));
  const ledger = stack.use(await startLedger(folder));
  const server = stack.use(
    await startChild(new URL('../bin/opentill.cjs', import.meta.url).pathname, {
      readyWords: 'documentation',
      urlWords: 'purchase API',
      env: {
        PATH: process.env['PATH'],
        DATABASE_URL: ledger.databaseUrl,
        OPENTILL_ENVIRONMENT: 'production',
        OPENTILL_PORT: '0',
        OPENTILL_OPERATOR_PORT: '0',
        OPENTILL_OPERATOR_KEY: adminKey,
        OPENTILL_TOKEN_KEYS: `1:${Buffer.alloc(32, 1).toString('base64url')}`,
      },
      logFile: join(folder, 'opentill.log'),
    }),
  );
  const operatorUrl = server.announced.match(/operator API\s+(http:\/\/[^\s/]+)/)?.[1] ?? '';
  const calls = await makeCalls(operatorUrl, server.url);
  await callsPerSecond(calls.bare, warmUpMs);
  await callsPerSecond(calls.client, warmUpMs);
  const measured: { bare: number; client: number }[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    const bare = await callsPerSecond(calls.bare, roundMs);
    const client = await callsPerSecond(calls.client, roundMs);
    process.stderr.write(`round ${round}: bare ${bare.toFixed(0)}, client ${client.toFixed(0)} a second\n`);
    measured.push({ bare, client });
  }
  const ratio = median(measured.map(({ bare, client }) => client / bare));
  process.stdout.write(
    `getPurchaseDetails a second, ${callers} callers, median of ${rounds} rounds\n` +
      `  bare fetch          ${median(measured.map(({ bare }) => bare)).toFixed(0)}\n` +
      `  through the client  ${median(measured.map(({ client }) => client)).toFixed(0)}\n` +
      `  ratio               ${ratio.toFixed(2)}, bar ${bar}  ${ratio >= bar ? 'reached' : 'MISSED'}\n`,
  );
  if (ratio < bar) process.exitCode = 1;
}

await main();
