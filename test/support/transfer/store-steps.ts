// Random steps that fill a store with every kind of row, as plain data that fast-check can shrink.

import fc from 'fast-check';
import {
  callPurchaseApi,
  operate,
  requestToken,
  type TestApp,
  type TestServer,
  testNow,
} from '../harness.ts';
import type { ServerAddress } from '../start/opentill-process.ts';

export type Step =
  | { readonly app: number; readonly do: 'operate'; readonly call: OperatorCall }
  | { readonly app: number; readonly do: 'purchase'; readonly method: 'GET' | 'POST'; readonly path: string }
  | { readonly app: number; readonly do: 'token' | 'rotate' | 'pause' | 'resume' }
  | { readonly app: number; readonly do: 'pass'; readonly ms: number };

type OperatorCall = readonly [method: string, path: string, body?: unknown];

const hourMs = 3_600_000;
const purchaseId = fc.nat(5).map((number) => `p-${number}`);
const optional = <Value>(arbitrary: fc.Arbitrary<Value>) => fc.option(arbitrary, { nil: undefined, freq: 2 });

const recording = fc.record({
  productId: fc.constantFrom('coins', 'monthly', 'weekly', 'yearly'),
  purchaseId: optional(purchaseId),
  orderId: optional(fc.nat(3).map((number) => `o-${number}`)),
  buyerId: optional(fc.constantFrom('b', 'Zoë "\\')),
  developerPayload: optional(fc.constantFrom('', 'payload', '\u{1f600} "\\\n\r\t\\N,\u2028\u0001')),
  price: optional(fc.constantFrom(0, 1_000_000_000_000)),
});

const twoFaults = [
  { operation: 'getPurchaseDetails', httpStatus: 503 },
  { operation: 'consumePurchase', code: 9202, times: 1 },
];

const fixedCall = fc.constantFrom<OperatorCall>(
  ...['PT1H', 'P3D', 'P1M'].map((by): OperatorCall => ['POST', '/clock/advance', { by }]),
  ['PUT', '/clock', { mode: 'frozen' }],
  ['PUT', '/clock', { mode: 'running', rate: 2.5 }],
  ['PUT', '/faults', []],
  // A charge that stays pending would be retried as long as the app's clock moves.
  ['PUT', '/faults', [{ operation: 'charge', outcome: 'pending', times: 20 }]],
  ['PUT', '/faults', [{ operation: 'charge', outcome: 'declined', times: 2 }]],
  ['PUT', '/faults', twoFaults],
  ['PUT', '/token', { expiresIn: 300 }],
  ['PUT', '/token', { expiresIn: 2_000 }],
  ['POST', '/expel-tokens'],
  ['PATCH', '', { name: 'A "game"' }],
  ['PATCH', '', { disabled: true }],
  ['PATCH', '', { disabled: false }],
  ['PUT', '/products/coins', { type: 'oneTime', title: 'Coins', price: 5, currency: 'JPY' }],
  ['POST', '/reset'],
);

const trial = fc.record({
  productId: fc.constantFrom('monthly', 'yearly'),
  purchaseId: optional(purchaseId),
  firstPeriod: fc.constantFrom({ length: 'P3D', price: 0 }, { length: 'P2M', price: 9 }),
  renewalPrice: optional(fc.constantFrom(0, 77)),
});

const recorded = fc
  .oneof({ weight: 3, arbitrary: recording }, trial)
  .map((body): OperatorCall => ['POST', '/purchases', body]);
const changed = fc
  .tuple(
    purchaseId,
    fc.constantFrom(
      ['/purchases', '/void', { reason: 'customer' }],
      ['/purchases', '/void', { reason: 'system' }],
      ['/subscriptions', '/cancel'],
      ['/subscriptions', '/cancel', { consent: 'awaited' }],
      ['/subscriptions', '/reactivate'],
      ['/subscriptions', '/reactivate', { consent: 'given' }],
      ['/subscriptions', '/change-renewal-price', { price: 77 }],
      ['/subscriptions', '/change-renewal-price', { price: 88, consent: 'awaited' }],
    ),
  )
  .map(([id, [kind, action, body]]): OperatorCall => ['POST', `${kind}/${id}${action}`, body]);

const extended = fc.tuple(purchaseId, fc.constantFrom(20, 35, 65, 400)).map(([id, days]): OperatorCall => {
  const expiryTime = testNow + days * 24 * hourMs;
  return ['POST', `/subscriptions/${id}/extend`, { expiryTime }];
});

const operatorCall = fc.oneof(
  { weight: 8, arbitrary: recorded },
  { weight: 2, arbitrary: extended },
  { weight: 5, arbitrary: changed },
  { weight: 7, arbitrary: fixedCall },
);

const purchaseCall = fc
  .tuple(
    purchaseId,
    fc.constantFrom(
      'GET /details/:id/:app',
      'POST /consume/:id/:app',
      'GET /recurring-details/:id/:app',
      'POST /manage-payment-status/:id/:app/cancel',
      'POST /manage-payment-status/:id/:app/reactivate',
      'GET /voided-purchases/:app?maxResults=1',
    ),
  )
  .map(([id, shape]) => {
    const [method, path = ''] = shape.split(' ');
    return { method: method as 'GET' | 'POST', path: path.replace(':id', id) };
  });

const app = fc.nat(1);
const operation = fc.record({ app, do: fc.constant('operate' as const), call: operatorCall });
const purchase = fc
  .tuple(app, purchaseCall)
  .map(([index, made]) => ({ app: index, do: 'purchase' as const, ...made }));
const other = fc.constantFrom('token' as const, 'rotate' as const, 'pause' as const, 'resume' as const);
const pass = fc.record({ app, do: fc.constant('pass' as const), ms: fc.constantFrom(1, 999, hourMs) });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: operation },
  { weight: 4, arbitrary: purchase },
  { weight: 1, arbitrary: fc.record({ app, do: other }) },
  { weight: 1, arbitrary: pass },
);

export const storeSteps = fc.array(step, { minLength: 10, maxLength: 50, size: 'max' });

const operated = (...made: OperatorCall): Step => ({ app: 0, do: 'operate', call: made });

/** Run after every history, so that every kind of row exists, including an open charge. */
export const lastSteps: readonly Step[] = [
  operated('PATCH', '', { disabled: false }),
  { app: 0, do: 'resume' },
  operated('PUT', '/webhook', { url: 'https://example.com/hook' }),
  operated('POST', '/webhook/test'),
  operated('PUT', '/faults', []),
  operated('POST', '/purchases', { productId: 'monthly', purchaseId: 'p-last' }),
  operated('POST', '/purchases', { productId: 'coins', purchaseId: 'p-void' }),
  operated('POST', '/purchases/p-void/void', { reasonCode: 'fraud' }),
  operated('POST', '/purchases', { productId: 'coins', purchaseId: 'p-used', consumed: true }),
  operated('POST', '/clock/advance', { by: 'P27D' }),
  operated('PUT', '/faults', [{ operation: 'charge', outcome: 'pending' }]),
  operated('POST', '/clock/advance', { by: 'P5D' }),
  operated('GET', '/statements'),
  { app: 0, do: 'token' },
  { app: 0, do: 'purchase', method: 'GET', path: '/details/p-void/:app' },
  operated('PUT', '/token', { expiresIn: 2_000 }),
  { app: 0, do: 'pause' },
];

/** Ignores the response, because only the stored result matters. Time passes on a server with a clock that the test sets. */
export async function take(
  server: ServerAddress & Partial<Pick<TestServer, 'clock'>>,
  apps: TestApp[],
  step: Step,
): Promise<void> {
  const app = apps[step.app];
  if (app === undefined) throw new Error(`There is no app ${step.app}.`);
  const { packageName } = app;
  switch (step.do) {
    case 'operate': {
      const [method, path, body] = step.call;
      await operate(server, method, `/apps/${packageName}${path}`, body === undefined ? {} : { body });
      return;
    }
    case 'purchase': {
      const path = step.path.replace(':app', packageName);
      await callPurchaseApi(server, { token: app.token, method: step.method, path });
      return;
    }
    case 'pause':
    case 'resume':
      await operate(server, 'POST', `/renewals/${step.do}`, { body: { packageName } });
      return;
    case 'token': {
      const { status, body } = await requestToken(server, app);
      if (status === 200) apps[step.app] = { ...app, token: body.access_token };
      return;
    }
    case 'rotate': {
      const { body } = await operate(server, 'POST', `/apps/${packageName}/client-secret`, {
        body: { force: true },
      });
      apps[step.app] = { ...app, clientSecret: body.clientSecret };
      return;
    }
    case 'pass':
      await server.clock?.advance(step.ms);
  }
}
