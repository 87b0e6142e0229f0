// Valid and invalid faults, and the roles that may set them.

import { delayMsMax, faultsMax } from '@opentill/contract/faults.ts';
import { sandboxApi } from '@opentill/contract/sandbox-api.ts';
import { describe, expect, test } from 'vitest';
import { createTestApp, useTestServer } from '../harness.ts';
import { callSandbox } from '../operator-api/checked-call.ts';
import { faultsResponse, putTestFaults } from './sandbox-stage.ts';

const { putFaults } = sandboxApi;

const server = await useTestServer();
const app = await createTestApp(server);

const put = (body: unknown) => callSandbox(server, putFaults, { key: app.token, body });

test('putFaults returns each fault as it was set and replaces the previous list', async () => {
  const faults = [
    { operation: 'consumePurchase', code: 9202, times: 3 },
    { operation: 'getAccessToken', httpStatus: 500 },
    { operation: 'getVoidedPurchases', delayMs: 1 },
    { operation: 'getPurchaseDetails', delayMs: delayMsMax, cut: 'after' },
    { operation: 'charge', outcome: 'no_answer', firstPurchaseId: 'S-1', times: 1 },
  ];
  await put([{ operation: 'getPurchaseDetails', code: 401 }]);
  const answer = await put(faults);
  expect(answer.body).toEqual({ faults: faults.map((fault) => ({ ...fault, applied: 0 })) });
  expect(await faultsResponse(server, app)).toEqual(answer.body.faults);
  expect((await put([])).body).toEqual({ faults: [] });
});

describe('invalid faults', () => {
  test.each([
    [
      'a code that the operation never returns',
      { operation: 'consumePurchase', code: 9001 },
      '/0/code',
      /9202.*got 9001/,
    ],
    [
      'two answers',
      { operation: 'getPurchaseDetails', code: 9001, httpStatus: 500 },
      '/0/httpStatus',
      /\bcode\b/,
    ],
    ['a fault without any effect', { operation: 'getPurchaseDetails', times: 1 }, '/0/code', /got none/],
    ['a charge without an outcome', { operation: 'charge', times: 1 }, '/0/outcome', /declined_final/],
    [
      'a delay over the limit',
      { operation: 'getPurchaseDetails', delayMs: delayMsMax + 1 },
      '/0/delayMs',
      /30000/,
    ],
  ])('putFaults rejects %s with 400 and its position', async (_title, fault, path, message) => {
    await putTestFaults(server, app, [{ operation: 'charge', outcome: 'declined' }]);
    const answer = await put([fault]);
    expect(answer.status).toBe(400);
    expect(answer.body.errors).toContainEqual({ path, message: expect.stringMatching(message) });
    expect(await faultsResponse(server, app)).toEqual([
      { operation: 'charge', outcome: 'declined', applied: 0 },
    ]);
  });

  test('putFaults rejects more faults than an app may have with 400', async () => {
    const fault = { operation: 'charge', outcome: 'pending' };
    expect((await put(Array.from({ length: faultsMax }, () => fault))).status).toBe(200);
    expect((await put(Array.from({ length: faultsMax + 1 }, () => fault))).status).toBe(400);
  });
});
