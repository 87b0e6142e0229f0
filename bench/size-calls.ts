// The calls whose statements are timed: each list with each of its filters, reports, search, and every change.

import { largestApp } from './size-fill.ts';

const smallApp = 'com.size.app1';
const dayMs = 86_400_000;

export interface SizedCall {
  readonly listener: 'public' | 'operator';
  readonly method: string;
  readonly path: string;
  readonly body?: object;
}

const read = (path: string): SizedCall => ({ listener: 'operator', method: 'GET', path });
const change = (method: string, path: string, body: object = {}): SizedCall => ({
  ...{ listener: 'operator', method, path, body },
});

/** Each set of filters, which are also sent for the largest app and for a small one. */
const lists: Readonly<
  Record<string, { readonly anyApp: readonly string[]; readonly ofApp: readonly string[] }>
> = {
  purchases: {
    anyApp: [
      '',
      'id=P-5',
      'id=o-5',
      'id=b-5',
      'purchaseId=P-5',
      'orderId=o-5',
      'buyerId=b-5',
      'state=voided',
      'from=:week',
      'to=:week',
    ],
    ofApp: [
      'productId=gems',
      'productId=none',
      'state=completed',
      'state=consumed',
      'from=:week&to=:now',
      'state=voided&from=:week',
      'state=voided&productId=none',
      'buyerId=b-4&state=voided',
      'productId=sub-P1Y&state=completed&to=:year',
    ],
  },
  subscriptions: {
    anyApp: [
      '',
      'id=S-5',
      'id=b-5',
      'buyerId=b-5',
      'state=active',
      'state=autoPaymentOff',
      'state=paymentOutstanding',
      'state=expired',
      'state=terminated',
      'productId=sub-P1M',
      'productId=none',
      'nextPaymentBefore=:now',
      'nextPaymentBefore=:next',
    ],
    ofApp: ['state=expired&productId=sub-P1Y', 'nextPaymentBefore=:next&productId=none'],
  },
  actions: {
    anyApp: [
      '',
      'operationId=voidPurchase',
      'operationId=putProduct',
      'by=operator:helpdesk',
      'by=operator:nobody',
      'subject=P-4',
      'from=:week',
      'to=:year',
      'from=:year&to=:week&operationId=putProduct',
    ],
    ofApp: [],
  },
};

const reports = ['day', 'week', 'month', 'product', 'app'].flatMap((by) =>
  ['', `&packageName=${largestApp}`, `&packageName=${smallApp}`, '&productId=coins', '&currency=EUR'].map(
    (filter) => read(`/statistics?from=:day-year&to=:day-now&by=${by}${filter}`),
  ),
);

const found = ['P-5', 'o-5', 'b-5', 'S-5', 'com.size', 'gems', 'v-P-4', 'evt_5_e4da3b7fbbce2345', 'nothing'];

const appReads = (app: string): SizedCall[] =>
  [
    '',
    '/products',
    '/webhook/deliveries',
    '/webhook/deliveries?state=dead',
    '/webhook/deliveries?state=waiting',
    '/webhook/deliveries?state=held',
    '/webhook/deliveries?state=delivered',
    '/webhook/deliveries?purchaseId=P-4',
    '/events',
    '/events?after=100',
    '/events?after=now',
    '/events?pageSize=200',
  ].map((path) => read(`/apps/${app}${path}`));

/** The subscription S-0 and the purchase P-0 are of the largest app. */
const ofLargest = (path: string) => `/apps/${largestApp}${path}`;

const changes: readonly SizedCall[] = [
  change('POST', ofLargest('/purchases'), {
    productId: 'coins',
    developerPayload: 'new',
    buyerId: 'b-5',
    orderId: 'o-new',
  }),
  change('POST', ofLargest('/purchases'), {
    productId: 'sub-P1M',
    developerPayload: 'new',
    buyerId: 'b-5',
    orderId: 'o-new-2',
  }),
  change('POST', ofLargest('/purchases/P-10/consumption')),
  change('POST', ofLargest('/purchases/P-20/void'), { reason: 'system' }),
  change('POST', ofLargest('/purchases/S-0-3/void'), { reason: 'system' }),
  change('POST', ofLargest('/subscriptions/S-2/cancel')),
  change('POST', ofLargest('/subscriptions/S-2/reactivate')),
  change('POST', ofLargest('/subscriptions/S-4/extend'), { expiryTime: Date.now() + 370 * dayMs }),
  change('PUT', ofLargest('/products/coins'), { type: 'oneTime', price: 499, currency: 'EUR' }),
  change('PATCH', ofLargest(''), { name: 'Game' }),
  change('POST', '/buyers/erase', { buyerId: 'b-8000001' }),
  change('POST', '/renewals/pause', { packageName: smallApp }),
  change('POST', '/renewals/resume', { packageName: smallApp }),
];

const bought: readonly string[] = [
  '/details/P-4/:app',
  '/details-by-productid/P-4/:app/coins',
  '/recurring-details/S-10/:app',
  '/last-recurring-details/S-10/:app',
  '/voided-purchases/:app',
  '/voided-purchases/:app?maxResults=999',
  '/voided-purchases/:app?startTime=:week',
];

export function sizedCalls(now: number): readonly SizedCall[] {
  const day = (time: number) => new Date(time).toISOString().slice(0, 10);
  const values = {
    ':day-year': day(now - 364 * dayMs),
    ':day-now': day(now),
    ':week': now - 7 * dayMs,
    ':year': now - 365 * dayMs,
    ':now': now,
    ':next': now + 7 * dayMs,
    ':app': largestApp,
  };
  const filled = (path: string) =>
    Object.entries(values).reduce((text, [name, value]) => text.replaceAll(name, String(value)), path);
  const listed = Object.entries(lists).flatMap(([list, { anyApp, ofApp }]) => [
    ...anyApp.map((filter) => read(`/${list}?${filter}`)),
    ...[...anyApp, ...ofApp].flatMap((filter) =>
      [largestApp, smallApp].map((app) => read(`/${list}?packageName=${app}&${filter}`)),
    ),
  ]);
  const calls = [
    ...listed,
    ...[
      '/apps',
      '/apps?containing=app1',
      '/apps?containing=none',
      '/apps?state=disabled',
      '/webhooks',
      '/attention',
      '/renewals',
    ].map(read),
    ...found.map((q) => read(`/search?q=${q}`)),
    ...reports,
    ...appReads(largestApp),
    ...appReads(smallApp),
    ...['/webhook', '/purchases/P-4', '/purchases/P-4/developer-view', '/subscriptions/S-10'].map((path) =>
      read(ofLargest(path)),
    ),
    ...bought.map((path): SizedCall => ({ listener: 'public', method: 'GET', path: `/v2/purchase${path}` })),
    ...changes,
    { listener: 'public' as const, method: 'POST', path: '/v2/purchase/consume/P-40/:app' },
    change('POST', ofLargest('/expel-tokens')),
  ];
  return calls.map((call) => ({ ...call, path: filled(call.path) }));
}
