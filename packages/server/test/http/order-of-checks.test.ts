// The order in which a call is checked: path and method, Authorization, Content-Type, package, values, record. The earlier
// of two errors is reported, for each pair of errors and each operation.

import type { ErrorName } from '@opentill/contract/errors.ts';
import { describe, test } from 'vitest';
import { createTestApp, useTestServer } from '../../../../test/support/harness.ts';
import { expectFailure, goodHeaders, pathOf } from '../../../../test/support/http/purchase-call.ts';
import { sendRequest } from '../../../../test/support/http/sent-request.ts';
import { type GoodCall, goodCalls, recordGoodPurchases } from './purchase-operations.ts';

const server = await useTestServer();
const app = await createTestApp(server);
await recordGoodPurchases(server, app);

const faults = ['method', 'Authorization', 'Content-Type', 'package', 'values', 'record'] as const;
type Fault = (typeof faults)[number];

/** The error, and the first word of its message if it has several causes. */
function told(fault: Fault, { operation }: GoodCall): { name: ErrorName; subject?: string } {
  const isVoided = operation.operationId === 'getVoidedPurchases';
  const isManage = operation.operationId === 'manageRecurringPaymentStatus';
  const found = operation.operationId === 'consumePurchase' ? 'notPurchaseCompleted' : 'notFound';
  switch (fault) {
    case 'method':
      return { name: 'methodNotAllowed' };
    case 'Authorization':
      return { name: 'unauthorized' };
    case 'Content-Type':
      return { name: 'invalidRequest', subject: 'Content-Type' };
    case 'package':
      return { name: isVoided ? 'invalidPackageName' : found };
    case 'values':
      if (isVoided) return { name: 'searchRuleViolated', subject: 'maxResults' };
      return { name: 'invalidRequest', subject: isManage ? 'action' : 'purchaseId' };
    case 'record':
      return { name: found };
  }
}

/** A valid call except for these errors. */
async function callWith({ operation, path }: GoodCall, broken: readonly Fault[]) {
  const has = (fault: Fault) => broken.includes(fault);
  const isManage = operation.operationId === 'manageRecurringPaymentStatus';
  const isVoided = operation.operationId === 'getVoidedPurchases';
  const values = {
    ...path,
    packageName: has('package') ? 'com.example.foreign' : app.packageName,
    ...(has('record') && { purchaseId: 'none' }),
    ...(has('values') && (isManage ? { action: 'pause' } : { purchaseId: '' })),
  };
  return sendRequest(server.publicUrl, {
    method: has('method') ? 'PUT' : operation.method,
    path: pathOf(operation, values) + (isVoided && has('values') ? '?maxResults=0' : ''),
    headers: goodHeaders(app, {
      ...(has('Authorization') && { authorization: undefined }),
      ...(has('Content-Type') && { 'content-type': undefined }),
    }),
  });
}

async function expectTold(call: GoodCall, ...broken: readonly [Fault, ...Fault[]]): Promise<void> {
  const { name, subject } = told(broken[0], call);
  expectFailure(await callWith(call, broken), name, subject);
}

describe.each(goodCalls)('$operationId', (call) => {
  // The voided list has no single record.
  const possible = faults.filter((fault) => fault !== 'record' || call.path['purchaseId'] !== undefined);
  const pairs = possible.flatMap((first, index) => possible.slice(index + 1).map((then) => [first, then]));
  // A purchaseId is either missing or unknown.
  const needsTwoIds = ([first, then]: readonly Fault[]) =>
    first === 'values' && then === 'record' && call.path['action'] === undefined;

  test.each(possible)('$operationId reports a wrong %s on its own', async (fault) => {
    await expectTold(call, fault);
  });

  test.each((pairs as [Fault, Fault][]).filter((pair) => !needsTwoIds(pair)))(
    '$operationId reports a wrong %s before a wrong %s',
    async (first, then) => {
      await expectTold(call, first, then);
    },
  );
});
