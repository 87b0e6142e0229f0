// Records hundreds of purchases as fast as a server accepts them.

import { expect } from 'vitest';
import { adminKey, type TestApp } from '../../../../test/support/harness.ts';
import type { ServerAddress } from '../../../../test/support/start/opentill-process.ts';
import { PipelinedConnection, type RawCall } from '../http/pipelined-client.ts';

/** Calls in one write, which the server processes concurrently. */
const callsAtOnce = 50;

const authorization = `Bearer ${adminKey}`;

type Named = Pick<TestApp, 'packageName'>;

/** Records a purchase of `coins` for each id. */
export async function recordPurchases(
  { operatorUrl }: ServerAddress,
  { packageName }: Named,
  ids: readonly string[],
): Promise<void> {
  using connection = new PipelinedConnection(operatorUrl);
  const calls = ids.map((purchaseId) => ({
    method: 'POST',
    path: `/operator/v1/apps/${packageName}/purchases`,
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ productId: 'coins', purchaseId }),
  }));
  for (let from = 0; from < calls.length; from += callsAtOnce) {
    const responses = await connection.send(calls.slice(from, from + callsAtOnce));
    for (const { status, body } of responses) expect(status, body).toBe(201);
  }
}

export function voidCall({ packageName }: Named, purchaseId: string): RawCall {
  const path = `/operator/v1/apps/${packageName}/purchases/${purchaseId}/void`;
  return { method: 'POST', path, headers: { authorization } };
}
