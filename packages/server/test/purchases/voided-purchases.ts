// Creates voided purchases at given instants, and reads the voided list.

import { getVoidedPurchases } from '@opentill/contract/purchase-api/getVoidedPurchases.ts';
import type { VoidedPurchases } from '@opentill/contract/resources.ts';
import { expect } from 'vitest';
import { voidTestPurchase } from '../../../../test/support/calls/purchase-changes.ts';
import {
  type HttpResponse,
  recordTestPurchase,
  type TestApp,
  type TestServer,
} from '../../../../test/support/harness.ts';
import { callPurchase } from '../../../../test/support/http/purchase-call.ts';

export const monthMs = 31 * 24 * 60 * 60 * 1_000;

/** Records a purchase a minute before the instant and voids it at the instant; instants must ascend. */
export async function voidAt(
  server: TestServer,
  app: Pick<TestApp, 'packageName'>,
  { purchaseId, time }: { readonly purchaseId: string; readonly time: number },
): Promise<void> {
  await server.clock.set(time);
  await recordTestPurchase(server, app, { purchaseId, purchaseTime: time - 60_000 });
  await voidTestPurchase(server, app, purchaseId);
}

export type VoidedQuery = Readonly<Record<string, string | number>>;

export function listVoided(server: TestServer, app: TestApp, query: VoidedQuery = {}): Promise<HttpResponse> {
  const entries = Object.entries(query).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  return callPurchase(server, getVoidedPurchases, app, { query: `?${entries.join('&')}` });
}

export async function listPage(
  server: TestServer,
  app: TestApp,
  query: VoidedQuery = {},
): Promise<VoidedPurchases> {
  const response = await listVoided(server, app, query);
  expect([response.status, response.text]).toEqual([200, response.text]);
  return response.body;
}

export async function listIds(server: TestServer, app: TestApp, query: VoidedQuery = {}): Promise<string[]> {
  const page = await listPage(server, app, query);
  expect(page).not.toHaveProperty('continuationKey');
  return page.voidedPurchaseList.map(({ purchaseId }) => purchaseId);
}

/** Walks from the first page to the end; `sizes` are the maxResults of successive pages. */
export async function walk(
  server: TestServer,
  app: TestApp,
  { first = {}, sizes }: { readonly first?: VoidedQuery; readonly sizes: readonly number[] },
): Promise<string[][]> {
  const pages: string[][] = [];
  let key: string | undefined;
  do {
    const maxResults = sizes[pages.length % sizes.length] ?? 1;
    const query = key === undefined ? first : { continuationKey: key };
    const page = await listPage(server, app, { ...query, maxResults });
    expect(page.voidedPurchaseList.length).toBeLessThanOrEqual(maxResults);
    pages.push(page.voidedPurchaseList.map(({ purchaseId }) => purchaseId));
    key = page.continuationKey;
  } while (key !== undefined);
  return pages;
}
