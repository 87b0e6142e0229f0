// The purchase API over a till, as the specification defines it. The paths are repeated here, so that the kit is not only
// tested against the contract that it is built from.

import { app, type StoredPurchase, type Till } from './till.ts';

export interface Seen {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string;
}

export interface Reply {
  readonly status: number;
  /** In addition to the Content-Type of JSON. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: unknown;
  /** Cuts the connection after the body, although Content-Length announced more. */
  readonly breaksOff?: true;
}

const msPerDay = 86_400_000;
const monthMs = 31 * msPerDay;

export const failed = (code: number, message = 'Refused.'): Reply => ({
  status: code === 401 ? 401 : 400,
  body: { error: { code, message } },
});
export const done = (body: unknown): Reply => ({ status: 200, body });

export function answerPurchaseApi(till: Till, seen: Seen): Reply {
  const [, , area = '', operation = '', ...values] = seen.path.split('/').map(decodeURIComponent);
  if (area === 'oauth') return seen.method === 'POST' ? answerToken(till, seen) : failed(9999);
  const [scheme, token = '', ...more] = (seen.headers['authorization'] ?? '').split(' ');
  if (scheme !== 'Bearer' || more.length > 0 || !till.isLive(token)) return failed(401);
  if (!/^application\/json(?:;|$)/.test(seen.headers['content-type'] ?? '')) return failed(9000);
  const isChange = operation === 'consume' || operation === 'manage-payment-status';
  if (seen.method !== (isChange ? 'POST' : 'GET')) return failed(9999);
  if (operation === 'voided-purchases') return answerVoided(till, seen.query, values[0] ?? '');
  const [purchaseId = '', packageName = '', more1 = ''] = values;
  const known = till.purchases.get(purchaseId);
  const isOwn = packageName === app.packageName && known?.packageName === packageName;
  const purchase = isOwn ? known : undefined;
  if (operation === 'consume') return answerConsume(purchase);
  if (purchase === undefined) return failed(9001);
  switch (operation) {
    case 'details':
      return done(detailsOf(purchase));
    case 'details-by-productid':
      return purchase.productId === more1 ? done(detailsOf(purchase)) : failed(9001);
    default:
      return answerSubscription(till, { operation, purchase, action: more1 });
  }
}

function answerToken(till: Till, { headers, body }: Seen): Reply {
  if (!headers['content-type']?.startsWith('application/x-www-form-urlencoded')) return failed(400);
  const form = new URLSearchParams(body);
  const isRight =
    form.get('client_id') === app.clientId &&
    form.get('client_secret') === app.clientSecret &&
    form.get('grant_type') === 'client_credentials';
  if (!isRight) return failed(400);
  const { token, leftMs } = till.issueToken();
  return done({
    status: 'SUCCESS',
    client_id: app.clientId,
    access_token: token,
    token_type: 'bearer',
    expires_in: Math.floor(leftMs / 1_000),
    scope: 'DEFAULT',
  });
}

function detailsOf({ isConsumed, developerPayload, voidedTime, purchaseTime }: StoredPurchase): object {
  return {
    consumptionState: isConsumed ? 1 : 0,
    developerPayload,
    purchaseState: voidedTime === undefined ? 0 : 1,
    purchaseTime,
  };
}

function answerConsume(purchase: StoredPurchase | undefined): Reply {
  if (purchase === undefined || purchase.voidedTime !== undefined) return failed(9200);
  if (purchase.isConsumed || purchase.firstPurchaseId !== undefined) return failed(9201);
  purchase.isConsumed = true;
  return done({ consumptionState: 1, purchaseId: purchase.purchaseId });
}

function answerSubscription(
  till: Till,
  { operation, purchase, action }: { operation: string; purchase: StoredPurchase; action: string },
): Reply {
  const subscription = till.subscriptions.get(purchase.firstPurchaseId ?? '');
  if (subscription === undefined) return failed(9001);
  const { months, autoRenewing, cancelledTime } = subscription;
  const state = (month: StoredPurchase | undefined) => ({
    startTime: month?.purchaseTime,
    expiryTime: month?.expiryTime,
    ...(autoRenewing && { nextPaymentTime: months.at(-1)?.expiryTime }),
    autoRenewing,
    ...(cancelledTime !== undefined && { cancelReason: '0', cancelledTime }),
  });
  switch (operation) {
    case 'recurring-details':
      return done({
        ...state(purchase),
        price: 499,
        developerPayload: purchase.developerPayload,
        purchaseState: 0,
      });
    case 'last-recurring-details':
      return done({ ...state(months.at(-1)), lastPurchaseId: months.at(-1)?.purchaseId });
    default:
      break;
  }
  if (action !== 'cancel' && action !== 'reactivate') return failed(9000);
  const isAllowed = autoRenewing === (action === 'cancel');
  if (isAllowed) {
    subscription.autoRenewing = !autoRenewing;
    if (action === 'cancel') subscription.cancelledTime = till.now;
    else delete subscription.cancelledTime;
  }
  return done({ responseCode: isAllowed ? 0 : 1, purchaseId: purchase.purchaseId });
}

function answerVoided(till: Till, query: URLSearchParams, packageName: string): Reply {
  if (packageName !== app.packageName) return failed(9100);
  const { now } = till;
  const [key, start, end] = ['continuationKey', 'startTime', 'endTime'].map((name) => query.get(name));
  const limit = query.get('maxResults') ?? '100';
  const isRight =
    /^\d{1,3}$/.test(limit) &&
    [start, end].every((time) => !time || /^\d{13}$/.test(time)) &&
    (!start || Number(start) >= now - monthMs) &&
    (!end || Number(end) <= now) &&
    (!key || till.continuationKeys.has(key));
  if (!isRight) return failed(9101);
  const to = Number(end ?? (start ? Number(start) + monthMs : now));
  const from = Number(start ?? to - monthMs);
  const inRange = till.voids.filter(({ voidedTime = 0 }) => voidedTime >= from && voidedTime <= to);
  const offset = key ? Number(key.split('-')[1]) : 0;
  const next = offset + Number(limit);
  const continuationKey = `key-${next}`;
  if (next < inRange.length) till.continuationKeys.add(continuationKey);
  return done({
    ...(next < inRange.length && { continuationKey }),
    voidedPurchaseList: inRange
      .slice(offset, next)
      .map(({ purchaseId, purchaseTime, voidedTime }) => ({ purchaseId, purchaseTime, voidedTime })),
  });
}
