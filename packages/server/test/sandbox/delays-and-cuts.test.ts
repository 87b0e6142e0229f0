// Delayed responses and cut connections, over raw sockets.

import { delayMsMax } from '@opentill/contract/faults.ts';
import { consumePurchase } from '@opentill/contract/purchase-api/consumePurchase.ts';
import { getPurchaseDetails } from '@opentill/contract/purchase-api/getPurchaseDetails.ts';
import { beforeEach, describe, expect, test } from 'vitest';
import {
  createTestApp,
  recordTestPurchase,
  requestToken,
  startTestServer,
  type TestApp,
  type TestServer,
  useTestServer,
} from '../../../../test/support/harness.ts';
import { callPurchase, expectFailure } from '../../../../test/support/http/purchase-call.ts';
import { query } from '../../../../test/support/query.ts';
import { waitFor } from '../../../../test/support/wait-for.ts';
import { responseWithinMs } from '../../src/http/listener/steps.ts';
import { exchange } from '../http/raw-exchange.ts';
import { faultsResponse, loggedRequests, putTestFaults } from './sandbox-stage.ts';

const server = await useTestServer();
const app = await createTestApp(server);
await recordTestPurchase(server, app, { purchaseId: 'P-1' });
beforeEach(() => putTestFaults(server, app, []));

const details = (on: TestServer = server, by: TestApp = app) =>
  callPurchase(on, getPurchaseDetails, by, { path: { purchaseId: 'P-1' } });

/** Sends the bytes of a consume and returns the received bytes when the connection ends. */
async function rawConsume(purchaseId: string): Promise<string> {
  const lines = [
    `POST /v2/purchase/consume/${purchaseId}/${app.packageName} HTTP/1.1`,
    ...['host: localhost', `authorization: Bearer ${app.token}`, 'content-type: application/json'],
  ];
  const bytes = `${lines.join('\r\n')}\r\n\r\n`;
  return (await exchange(server.publicUrl, { bytes, cuts: [], end: 'half-close' })).received;
}

describe('a delay', () => {
  test('a delayed consume takes effect at once, delays no other call, and ends if its client gives up', async () => {
    await recordTestPurchase(server, app, { purchaseId: 'P-late' });
    await putTestFaults(server, app, [{ operation: 'consumePurchase', delayMs: delayMsMax, times: 1 }]);
    const gaveUp = new AbortController();
    const outcomes: string[] = [];
    const left = fetch(`${server.publicUrl}/v2/purchase/consume/P-late/${app.packageName}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${app.token}`, 'content-type': 'application/json' },
      signal: gaveUp.signal,
    }).then(
      () => outcomes.push('response'),
      (error: Error) => outcomes.push(error.name),
    );
    const text = 'select consumed_time from purchase where purchase_id = $1';
    await waitFor(async () => (await query(server.connection, text, ['P-late']))[0].consumed_time, {
      what: 'the purchase is consumed while its response is delayed',
    });
    const again = await callPurchase(server, consumePurchase, app, { path: { purchaseId: 'P-late' } });
    expectFailure(again, 'consumptionUnchangeable');
    expect(outcomes).toEqual([]);
    gaveUp.abort();
    await left;
    expect(outcomes).toEqual(['AbortError']);
  });

  test('a delayed error of the token endpoint issues no token, and its response is not logged', async () => {
    await putTestFaults(server, app, [{ operation: 'getAccessToken', delayMs: 20, code: 400, times: 1 }]);
    expectFailure(await requestToken(server, app), 'invalidTokenRequest');
    const [logged] = await loggedRequests(server, app, 1);
    expect(logged).toMatchObject({ operationId: 'getAccessToken', httpStatus: 400, response: '', fault: 0 });
  });

  test('a delay is not shortened by the response deadline of the server', async () => {
    const delayMs = responseWithinMs + 200;
    await putTestFaults(server, app, [{ operation: 'getPurchaseDetails', delayMs, times: 1 }]);
    expect((await details()).status).toBe(200);
  });

  test('a stop ends a delay at once: the response is sent and the stop does not wait', async () => {
    const stopped = await startTestServer();
    const own = await createTestApp(stopped, 'com.example.stopped');
    await recordTestPurchase(stopped, own, { purchaseId: 'P-1' });
    await putTestFaults(stopped, own, [{ operation: 'getPurchaseDetails', delayMs: delayMsMax }]);
    const response = details(stopped, own);
    await waitFor(async () => (await faultsResponse(stopped, own))[0]?.applied === 1, {
      what: 'the fault was applied',
    });
    // Without a stop, the test would time out.
    await stopped.stop();
    expect((await response).status).toBe(200);
  });
});

describe('a cut connection', () => {
  test('a cut `before` ends the connection without a byte, and the purchase is not consumed', async () => {
    await recordTestPurchase(server, app, { purchaseId: 'P-before' });
    await putTestFaults(server, app, [{ operation: 'consumePurchase', cut: 'before', times: 1 }]);
    expect(await rawConsume('P-before')).toBe('');
    const again = await callPurchase(server, consumePurchase, app, { path: { purchaseId: 'P-before' } });
    expect(again.body).toEqual({ consumptionState: 1, purchaseId: 'P-before' });
  });

  test('a cut `after` ends the connection without a byte, and the purchase is consumed', async () => {
    await recordTestPurchase(server, app, { purchaseId: 'P-after' });
    await putTestFaults(server, app, [{ operation: 'consumePurchase', cut: 'after', times: 1 }]);
    expect(await rawConsume('P-after')).toBe('');
    const again = await callPurchase(server, consumePurchase, app, { path: { purchaseId: 'P-after' } });
    expectFailure(again, 'consumptionUnchangeable');
  });
});
