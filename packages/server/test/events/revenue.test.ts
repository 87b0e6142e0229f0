// Revenue by month and currency, computed from the feed alone by the program of docs/events.md, is that of the purchases.

import { readFile } from 'node:fs/promises';
import { reasonCodes } from '@opentill/contract/actions.ts';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  newTestApp,
  operate,
  operatorOf,
  type TestApp,
  useTestServer,
} from '../../../../test/support/harness.ts';
import { query } from '../../../../test/support/query.ts';
import { dayMs } from '../../src/domain/time.ts';
import { freeze } from '../app-clock/clock-calls.ts';
import { putSubscription } from '../subscription-products.ts';
import { walkEvents } from './feed-calls.ts';

const runs = 6;

const server = await useTestServer();

const page = await readFile(new URL('../../../../docs/events.md', import.meta.url), 'utf8');
const program = /```js revenue\.mjs\n([\s\S]*?)```/.exec(page)?.[1] ?? '';
const { revenueOf } = await import(`data:text/javascript,${encodeURIComponent(program)}`);

/** A call on the app, or on one of its purchases: `:purchase` is the id of the one with this number. */
type Step = readonly [method: string, path: string, body?: object | undefined, purchase?: number];

const sale = fc
  .record(
    {
      productId: fc.constantFrom('coins', 'gems', 'monthly', 'weekly'),
      ago: fc.constantFrom(0, 1, 20 * dayMs, 40 * dayMs),
      price: fc.constantFrom(0, 7, 1_000_000_000_000),
      consumed: fc.boolean(),
    },
    { requiredKeys: ['productId', 'ago'] },
  )
  .map((body): Step => ['POST', '/purchases', body]);

const onPurchase = (path: string, body: fc.Arbitrary<object | undefined>) =>
  fc.tuple(body, fc.nat(20)).map(([sent, purchase]): Step => ['POST', path, sent, purchase]);

const voiding = fc.record(
  {
    reasonCode: fc.constantFrom(...Object.keys(reasonCodes)),
    refundAmount: fc.constantFrom(0, 3, 7),
  },
  { requiredKeys: [] },
);

const pending = [{ operation: 'charge', outcome: 'pending', times: 20 }];
const fixed = fc.constantFrom<Step>(
  ...['P3D', 'P1M', 'P2M'].map((by): Step => ['POST', '/clock/advance', { by }]),
  ['PUT', '/faults', []],
  ['PUT', '/faults', pending],
);
const repriced = fc
  .tuple(fc.constantFrom('coins', 'gems'), fc.constantFrom('EUR', 'JPY'), fc.nat(999))
  .map(([id, currency, price]): Step => ['PUT', `/products/${id}`, { type: 'oneTime', price, currency }]);

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: sale },
  { weight: 4, arbitrary: onPurchase('/purchases/:purchase/void', voiding) },
  { weight: 1, arbitrary: onPurchase('/purchases/:purchase/consumption', fc.constant(undefined)) },
  { weight: 1, arbitrary: onPurchase('/subscriptions/:purchase/cancel', fc.constant({})) },
  { weight: 6, arbitrary: fixed },
  { weight: 1, arbitrary: repriced },
);

/** A period that is paid after its subscription was voided, so that it is voided at once. */
const paidAfterEnd: Step[] = [
  ['PUT', '/faults', pending],
  ['POST', '/purchases', { productId: 'monthly', ago: 0 }],
  ['POST', '/clock/advance', { by: 'P1M' }],
  ['POST', '/purchases/:purchase/void', { reasonCode: 'fraud' }, 0],
  ['PUT', '/faults', []],
  ['POST', '/clock/advance', { by: 'P1M' }],
];

/** Ignores the response, because only the stored result matters. */
async function take(app: TestApp, [method, path, body, purchase]: Step): Promise<void> {
  const { packageName } = app;
  const { now } = await operatorOf(server).getClock({ packageName });
  const { purchases } = await operatorOf(server).listPurchases({ packageName, pageSize: 200 });
  if (purchase !== undefined && purchases.length === 0) return;
  const id = purchases[(purchase ?? 0) % purchases.length]?.purchaseId ?? '';
  const { ago, ...sent } = { ago: undefined, ...body };
  const dated = ago === undefined ? body : { ...sent, purchaseTime: now - ago };
  const whole = `/apps/${packageName}${path.replace(':purchase', id)}`;
  await operate(server, method, whole, dated === undefined ? {} : { body: dated });
}

async function storedRevenue({ packageName }: TestApp): Promise<Record<string, number>> {
  const rows = await query(
    server.connection,
    `select to_char(to_timestamp(time / 1000.0) at time zone 'Asia/Seoul', 'YYYY-MM ') || currency as key, sum(amount) as sum
      from (
        select purchase_time as time, currency, price as amount from purchase where package_name = $1
        union all
        select voided_time, currency, -coalesce(refund_amount, price) from purchase where package_name = $1 and voided_time is not null
      ) as booking group by key`,
    [packageName],
  );
  return Object.fromEntries(rows.map(({ key, sum }) => [key, Number(sum)]));
}

test('revenue by month and currency computed from the feed alone is that of the purchases, whatever happened', async () => {
  const causes = new Set<string | undefined>();
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25, size: 'max' }), async (steps) => {
      const app = await newTestApp(server);
      await freeze(server, app);
      await putSubscription(server, app, 'P1W');
      await take(app, ['PUT', '/products/gems', { type: 'oneTime', price: 120, currency: 'JPY' }]);
      for (const one of steps) await take(app, one);
      const events = await walkEvents(server, app);
      for (const event of events) if (event.type === 'purchase.voided') causes.add(event.voidCause);
      expect(revenueOf(events, 'Asia/Seoul')).toEqual(await storedRevenue(app));
    }),
    { numRuns: runs, examples: [[paidAfterEnd]] },
  );
  expect(causes).toContain('system');
});
