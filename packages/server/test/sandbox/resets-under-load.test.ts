// Resets of an app whose purchases are concurrently recorded, consumed, voided and renewed through two servers: each call
// happens before or after a reset, and no partial data remains.

import { reset } from '@opentill/contract/operator-api/reset.ts';
import { expect, test } from 'vitest';
import { changeAutoPayment, tryConsume, tryVoid } from '../../../../test/support/calls/purchase-changes.ts';
import {
  createTestApp,
  type HttpResponse,
  operate,
  type TestServer,
  useTwoTestServers,
} from '../../../../test/support/harness.ts';
import { callOperator } from '../../../../test/support/http/checked-call.ts';
import { tryAdvance } from '../app-clock/clock-calls.ts';
import { auditLedger, ledgerRules } from '../purchases/ledger-audit.ts';

const writers = 6;
const resets = Number(process.env['LOADED_RESETS'] ?? 3);

/** The clock is advanced in every one of this many rounds; during an advance, a reset is rejected. */
const roundsOfAdvance = 10;

const logLines: string[] = [];
const servers = await useTwoTestServers({ logLines });
const [{ connection }] = servers;
const app = await createTestApp(servers[0]);

/** Checks that a response is not a server error. */
const allowed: readonly number[] = [200, 201, 204, 404, 409, 503];

/** Repeats until the signal is aborted. */
async function write(writer: number, until: AbortSignal): Promise<HttpResponse[]> {
  const responses: HttpResponse[] = [];
  for (let round = 0; !until.aborted; round += 1) {
    const server = servers[(writer + round) % 2] as TestServer;
    const purchaseId = `P-${(writer + round) % 6}`;
    const productId = (writer + round) % 2 === 0 ? 'coins' : 'monthly';
    const change = { purchaseId, action: 'cancel' } as const;
    responses.push(
      await operate(server, 'POST', `/apps/${app.packageName}/purchases`, {
        body: { productId, purchaseId },
      }),
      await (productId === 'coins'
        ? tryConsume(server, app, purchaseId)
        : changeAutoPayment(server, app, change)),
      await tryVoid(server, app, purchaseId),
    );
    if (writer === 0 && round % roundsOfAdvance === 0)
      responses.push(await tryAdvance(server, app, { by: 'P1M' }));
  }
  return responses;
}

/** Whether a log line reports a server error. */
const faultLevel = 50;

/** A reset removes events and voids, and does not start their numbers again. */
const {
  'events of an app are numbered 1, 2, 3 up to its counter': _events,
  'voids of an app are numbered 1, 2, 3 up to its counter': _voids,
  ...otherRules
} = ledgerRules;
const rules = {
  ...otherRules,
  'a period has its subscription': `
    select p.purchase_id from purchase p left join subscription s using (package_name, first_purchase_id)
    where p.first_purchase_id is not null and s.first_purchase_id is null`,
  'the events that are left are in a row up to the counter': `
    select c.event_order from app_counter c join event e using (package_name) group by c.event_order
    having count(*) <> c.event_order - min(e.event_order) + 1`,
};

/** The number of resets that have to succeed. */
async function resetAgainAndAgain(): Promise<HttpResponse[]> {
  const responses: HttpResponse[] = [];
  for (let done = 0; done < resets; ) {
    const response = await callOperator(servers[done % 2] as TestServer, reset, { path: app });
    responses.push(response);
    if (response.status === 204) done += 1;
  }
  return responses;
}

test('concurrent resets and writes leave no partial data and cause no server error', async () => {
  const end = new AbortController();
  const writing = Promise.all(Array.from({ length: writers }, (_, writer) => write(writer, end.signal)));
  const resetting = resetAgainAndAgain().finally(() => end.abort());
  const responses = [...(await writing).flat(), ...(await resetting)];
  expect(logLines.filter((line) => JSON.parse(line).level >= faultLevel)).toEqual([]);
  expect(responses.filter(({ status }) => !allowed.includes(status)).map(({ text }) => text)).toEqual([]);
  expect(await auditLedger(connection, rules)).toEqual({});
});
