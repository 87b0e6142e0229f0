// The server for the pages: the demo of a first start, reset for each page.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { OperatorClient } from '@opentill/client/operator';
import { makeScratch } from '../../../../test/support/embedded/scratch.ts';
import { issueToken, untilAvailable } from '../../../../test/support/harness.ts';
import { startOpentill } from '../../../../test/support/start/opentill-process.ts';

const packageName = 'com.example.demo';

/** The products of the demo. */
const purchases = [
  { productId: 'coins_100', purchaseId: 'SANDBOX-DEMO-COINS', developerPayload: 'order-1001' },
  { productId: 'sword', purchaseId: 'SANDBOX-DEMO-SWORD', developerPayload: 'order-1002' },
  { productId: 'club_monthly', purchaseId: 'SANDBOX-DEMO-MONTHLY', developerPayload: 'order-1003' },
] as const;

export type Site = Awaited<ReturnType<typeof startSite>>;

/** `installed` is the folder whose node_modules has the server, unless it is that of the checkout. */
export async function startSite(installed?: string) {
  await using starting = new AsyncDisposableStack();
  const { path: scratchFolder, dataFolder } = starting.use(await makeScratch());
  const server = starting.use(
    startOpentill({
      env: { OPENTILL_DATA_DIR: dataFolder },
      args: ['--demo'],
      ...(installed !== undefined && { program: join(installed, 'node_modules/.bin/opentill-server') }),
    }),
  );
  const { publicUrl, operatorUrl } = await server.ready();
  const secret = async (name: string) => (await readFile(join(dataFolder, name), 'utf8')).trim();
  const [operatorKey, clientSecret] = [await secret('operator.key'), await secret('demo-client.secret')];
  const operator = new OperatorClient({ host: operatorUrl, operatorKey });
  const running = starting.move();
  return {
    scratchFolder,
    dataFolder,
    publicUrl,
    operatorUrl,
    operator,
    operatorKey,
    clientSecret,
    /** Resets the demo app to its initial state and returns a valid access token. */
    async renew() {
      await untilAvailable(async () => {
        await operator.reset({ packageName });
        for (const purchase of purchases) await operator.recordPurchase({ packageName, ...purchase });
        return operator.voidPurchase({ packageName, purchaseId: 'SANDBOX-DEMO-SWORD' });
      });
      return await issueToken({ publicUrl }, { clientId: packageName, clientSecret });
    },
    async [Symbol.asyncDispose]() {
      server.signal('SIGTERM');
      await server.ended();
      await running.disposeAsync();
    },
  };
}
