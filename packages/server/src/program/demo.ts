// Creates the demo app at the first `npm start`, through the operator operations, so that the calls that the welcome
// prints return data.

import type { Config } from '../config/config.ts';
import { findSecretFile, makeDataFolder, secretFile } from '../config/secret-files.ts';
import type { OperatorCall, OperatorHandler } from '../operations/operator-handler.ts';
import { Refusal } from '../operations/refusal.ts';
import { runOperation } from './own-operation.ts';

export interface Demo {
  readonly packageName: string;
  /** undefined if another server created the app and has the secret in its data folder. */
  readonly clientSecret: string | undefined;
  readonly purchaseIds: typeof purchaseIds;
}

const packageName = 'com.example.demo';
const secretFileName = 'demo-client.secret';

const purchaseIds = {
  coins: 'SANDBOX-DEMO-COINS',
  sword: 'SANDBOX-DEMO-SWORD',
  monthly: 'SANDBOX-DEMO-MONTHLY',
} as const;

const products = [
  { productId: 'coins_100', type: 'one_time', title: '100 coins', price: 199, currency: 'EUR' },
  { productId: 'sword', type: 'one_time', title: 'A sword', price: 499, currency: 'EUR' },
  { productId: 'club_monthly', type: 'subscription', title: 'Club, monthly', price: 999, currency: 'EUR' },
] as const;

const purchases = [
  { productId: 'coins_100', purchaseId: purchaseIds.coins, developerPayload: 'order-1001' },
  { productId: 'sword', purchaseId: purchaseIds.sword, developerPayload: 'order-1002' },
  { productId: 'club_monthly', purchaseId: purchaseIds.monthly, developerPayload: 'order-1003' },
] as const;

/**
 * Creates the demo app if it does not exist, with a voided purchase for the voided list. The secret file is written
 * last: a start without it repeats all steps, which changes nothing that already exists.
 */
export async function makeDemo(
  config: Config,
  { handlers, now }: { readonly handlers: readonly OperatorHandler[]; readonly now: number },
): Promise<Demo> {
  const known = await findSecretFile(config.dataFolder, secretFileName);
  if (known !== undefined) return { packageName, clientSecret: known, purchaseIds };
  const run = (operationId: string, call: Pick<OperatorCall, 'path' | 'body'>) =>
    runOperation(handlers, operationId, { ...call, madeBy: 'job:demo', now });
  const created = await run('createApp', { path: {}, body: { packageName, name: 'Demo' } });
  // Another server may have created the app on a shared database.
  if (created instanceof Refusal && config.databaseUrl !== undefined) {
    return { packageName, clientSecret: undefined, purchaseIds };
  }
  const issued =
    created instanceof Refusal
      ? await run('rotateClientSecret', { path: { packageName }, body: {} })
      : created;
  if (issued instanceof Refusal) throw new Error(`Cannot create the demo app: ${issued.detail}`);
  for (const { productId, ...body } of products) {
    await run('putProduct', { path: { packageName, productId }, body });
  }
  for (const body of purchases) await run('recordPurchase', { path: { packageName }, body });
  await run('voidPurchase', { path: { packageName, purchaseId: purchaseIds.sword }, body: {} });
  const { clientSecret } = issued.body as { clientSecret: string };
  await makeDataFolder(config.dataFolder);
  await secretFile(config.dataFolder, secretFileName, () => clientSecret);
  return { packageName, clientSecret, purchaseIds };
}
