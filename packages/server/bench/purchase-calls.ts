// The calls that the load consists of: who makes them, and which purchases they are about.

import { appCount, packageNameOf, purchaseCount, purchaseOf } from './bench-ledger.ts';
import type { LoadRequest } from './load.ts';

export interface Client {
  readonly token: string;
  /** The body of its token request. */
  readonly form: string;
}

/** Makes every app of the ledger, with a token. */
export async function createClients(
  { operatorUrl, publicUrl }: { readonly operatorUrl: string; readonly publicUrl: string },
  adminKey: string,
): Promise<Client[]> {
  const clients: Client[] = [];
  for (let app = 0; app < appCount; app += 1) {
    const packageName = packageNameOf(app);
    const created = await fetch(`${operatorUrl}/operator/v1/apps`, {
      method: 'POST',
      headers: { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ packageName }),
    });
    const { clientSecret } = (await created.json()) as { clientSecret: string };
    const form = `grant_type=client_credentials&client_id=${packageName}&client_secret=${clientSecret}`;
    const issued = await fetch(`${publicUrl}/v2/oauth/token`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: form,
    });
    const { access_token: token } = (await issued.json()) as { access_token: string };
    clients.push({ token, form });
  }
  return clients;
}

export function callOf(n: number, operation: 'details' | 'consume', clients: readonly Client[]): LoadRequest {
  const { purchaseId, packageName, app } = purchaseOf(n);
  return {
    method: operation === 'details' ? 'GET' : 'POST',
    path: `/v2/purchase/${operation}/${purchaseId}/${packageName}`,
    headers: { authorization: `Bearer ${clients[app]?.token}`, 'content-type': 'application/json' },
  };
}

export function tokenRequests(clients: readonly Client[]): LoadRequest[] {
  return clients.map(({ form }) => ({
    method: 'POST',
    path: '/v2/oauth/token',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: form,
  }));
}

/** `count` reads, another stretch of purchases for each `part`, spread over all of them. */
export function readRequests(part: number, count: number, clients: readonly Client[]): LoadRequest[] {
  const stride = 7_919;
  return Array.from({ length: count }, (_, index) => {
    const n = (((part * count + index) * stride) % purchaseCount) + 1;
    return callOf(n, 'details', clients);
  });
}
