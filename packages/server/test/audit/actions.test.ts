// The audit trail: which calls it has, and what it stores of them.

import { eachPage } from '@opentill/client/operator';
import { operatorOperations } from '@opentill/contract/operations.ts';
import type { OperatorOperation } from '@opentill/contract/operator-api/operator-operation.ts';
import { putProduct } from '@opentill/contract/operator-api/putProduct.ts';
import { voidPurchase } from '@opentill/contract/operator-api/voidPurchase.ts';
import { expect, test } from 'vitest';
import { listedActions } from '../../../../test/support/calls/listed-actions.ts';
import {
  createTestApp,
  operatorOf,
  recordKey,
  recordTestPurchase,
  testNow,
  useTestServer,
} from '../../../../test/support/harness.ts';
import { callOperator } from '../../../../test/support/http/checked-call.ts';
import { bodies, closedUrl } from '../../../../test/support/http/sample-calls.ts';
import { waitFor } from '../../../../test/support/wait-for.ts';
import { openJob } from '../../../../test/support/webhooks/webhook-stage.ts';

const msg = 'an action of the audit trail';
const logLines: string[] = [];
const server = await useTestServer({ logLines });
const operator = operatorOf(server);

const ids = {
  ...{ productId: 'gems', purchaseId: 'p', firstPurchaseId: 's', deliveryId: '' },
  ...{ periodIndex: '1', attempt: '1' },
};

async function createFullApp(packageName: string) {
  const app = await createTestApp(server, packageName);
  const product = { type: 'oneTime', price: 1, currency: 'EUR' } as const;
  await operator.putProduct({ packageName, productId: ids.productId, ...product });
  await recordTestPurchase(server, app, { purchaseId: ids.purchaseId, buyerId: 'the buyer' });
  await recordTestPurchase(server, app, { purchaseId: ids.firstPurchaseId, productId: 'monthly' });
  await operator.putWebhook({ packageName, url: closedUrl });
  return { ...ids, packageName };
}

type Path = Awaited<ReturnType<typeof createFullApp>>;

async function failDelivery(path: Path): Promise<void> {
  const { packageName } = path;
  await operator.testWebhook({ packageName });
  await using delivering = openJob(server);
  await delivering.job.runOnce();
  path.deliveryId = (await operator.listDeliveries({ packageName })).deliveries[0]?.id ?? '';
}

async function leaveAttemptOpen({ packageName }: Path): Promise<void> {
  await operator.putFaults({ packageName, faults: [{ operation: 'charge', outcome: 'pending' }] });
  await operator.advanceClock({ packageName, by: 'P1M' });
}

/** What an operation needs in order to change something in a full app. */
const preparations: Readonly<Record<string, (path: Path) => Promise<unknown>>> = {
  reactivateSubscription: ({ packageName, firstPurchaseId }) =>
    operator.cancelSubscription({ packageName, firstPurchaseId }),
  resumeRenewals: () => operator.pauseRenewals(),
  settleAttempt: leaveAttemptOpen,
  redeliver: failDelivery,
  redeliverFailed: failDelivery,
};

/** The traffic of the store, and signing out, which only makes the browser forget its cookie. */
const withoutAction: readonly string[] = ['recordPurchase', 'recordConsumption', 'deleteSession'];

const changing: readonly OperatorOperation[] = operatorOperations.filter(
  ({ method, operationId }) => method !== 'GET' && !withoutAction.includes(operationId),
);

test.each(changing.map((operation) => [operation.operationId, operation] as const))(
  'a call of %s that changes something writes one action and logs it',
  async (operationId, operation) => {
    const path = await createFullApp(`com.example.${operationId}`);
    await preparations[operationId]?.(path);
    logLines.length = 0;
    const response = await callOperator(server, operation, { path, body: bodies[operationId] });
    expect(response.status, response.text).toBeLessThan(300);
    const requestId = response.headers.get('x-request-id');
    const written = (await listedActions(server, { operationId })).filter(
      (one) => one.requestId === requestId,
    );
    const made = { madeBy: 'operator:admin', clientAddress: '127.0.0.1', time: testNow };
    expect(written).toEqual([expect.objectContaining(made)]);
    const [{ packageName: app, madeBy: by, clientAddress: address, order, time, ...rest } = expect.fail()] =
      written;
    const logged = logLines.map((line) => JSON.parse(line)).filter(({ code }) => code === 'action');
    const line = { ...(app !== undefined && { app }), by, address, ...rest };
    expect(logged).toEqual([{ level: 30, time: expect.any(Number), code: 'action', ...line, msg }]);
  },
);

test('listActions shows who did what, newest first and page by page, without secrets, buyer ids and payloads', async () => {
  const packageName = 'com.example.changed';
  const product = { type: 'oneTime', price: 1, currency: 'EUR', title: 'Coins' } as const;
  await operator.createApp({ packageName });
  await operator.updateApp({ packageName, name: 'New', disabled: true });
  await operator.rotateClientSecret({ packageName });
  await operator.expelTokens({ packageName });
  await operator.putProduct({ packageName, productId: 'gems', ...product });
  const pages = eachPage((page) => operator.listActions({ packageName, pageSize: 3, ...page }));
  const [first = [], second = [], ...others] = await Array.fromAsync(pages, ({ actions }) => actions);
  expect(others).toEqual([]);
  const whats = [...first, ...second].map(({ operationId, subject, detail }) => [
    operationId,
    subject,
    detail,
  ]);
  expect(whats).toEqual([
    ['putProduct', 'gems', product],
    ['expelTokens', undefined, { generation: 2 }],
    ['rotateClientSecret', undefined, { keepPreviousForSeconds: 86_400 }],
    ['updateApp', undefined, { name: 'New', previousName: null, disabled: true }],
    ['createApp', undefined, { clientId: packageName }],
  ]);
  expect(JSON.stringify(await listedActions(server, {}))).not.toMatch(/the buyer/);
});

test('a call rejected with 403 or 409 is no action, and its line in the log has its author', async () => {
  const path = await createFullApp('com.example.rejected');
  const before = await listedActions(server, {});
  logLines.length = 0;
  expect((await callOperator(server, voidPurchase, { path, key: recordKey })).status).toBe(403);
  const wrong = { type: 'subscription', price: 1, currency: 'EUR' };
  const changedType = { path: { ...path, productId: 'coins' }, body: wrong };
  expect((await callOperator(server, putProduct, changedType)).status).toBe(409);
  expect(await listedActions(server, {})).toEqual(before);
  const rejections = () =>
    logLines
      .map((line) => JSON.parse(line))
      .filter(({ outcome }) => /^(?:forbidden|conflict)$/.test(outcome));
  await waitFor(() => rejections().length === 2, { what: 'a line of each call' });
  expect(rejections()).toMatchObject([
    { operationId: 'voidPurchase', by: 'operator:checkout', address: '127.0.0.1', outcome: 'forbidden' },
    { operationId: 'putProduct', by: 'operator:admin', app: path.packageName, outcome: 'conflict' },
  ]);
});
