// The price of many subscriptions at once.

import { expect, test } from 'vitest';
import { createTestApp, recordTestPurchase, useTestServer } from '../../../test/support/harness.ts';
import { type Ended, opentillHere, serverEnv } from '../../../test/support/start/program-process.ts';

const server = await useTestServer();

const run = (line: string): Promise<Ended> => opentillHere(line.split(' '), { env: serverEnv(server) });

async function json(line: string): Promise<unknown> {
  const { code, stdout, stderr } = await run(`${line} --json`);
  expect(code, stderr).toBe(0);
  return JSON.parse(stdout);
}

test('opentill subscription change-price changes all subscriptions of a product, asks nobody whose price falls, and continues where it was', async () => {
  const app = (await createTestApp(server)).packageName;
  const sell = (purchaseId: string, renewalPrice: number) =>
    recordTestPurchase(server, { packageName: app }, { productId: 'monthly', purchaseId, renewalPrice });
  for (const index of [1, 2, 3]) await sell(`S-${index}`, 499);
  await sell('S-4', 799);
  await json(`subscription cancel ${app} S-3`);
  const command = `subscription change-price ${app} --product monthly --price 599 --consent awaited --note announced`;
  const check = await run(`${command} --check`);
  expect([check.code, check.stdout, check.stderr]).toEqual([
    0,
    'wouldChange  4\nwouldAsk     3\nunchanged    0\n',
    '3 subscriptions: 499 to 599 EUR, awaiting consent\n1 subscription: 799 to 599 EUR\n',
  ]);
  expect(await json(`subscription show ${app} S-1`)).toMatchObject({ renewalPrice: 499 });
  // As after an interruption.
  await json(`call changeRenewalPrice ${app} S-1 --price 599 --consent awaited`);
  expect(await json(command)).toEqual({ changed: 3, asked: 2, refused: 0, unchanged: 1 });
  const states = await Promise.all(
    ['S-1', 'S-2', 'S-3', 'S-4'].map((id) => json(`subscription show ${app} ${id}`)),
  );
  expect(states).toMatchObject([
    { awaitsConsent: true },
    { awaitsConsent: true },
    // It was cancelled before, and only the store may reactivate it.
    { awaitsConsent: false, state: 'autoPaymentOff' },
    { state: 'active', renewalPrice: 599 },
  ]);
  const again = await run(command);
  expect([again.stderr, again.stdout]).toEqual([
    'No subscription has another price.\n',
    'changed    0\nasked      0\nrefused    0\nunchanged  4\n',
  ]);
});
