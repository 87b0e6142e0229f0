// The time of an app is computed by the domain rules and by SQL statements that find due payments; both must agree to the
// millisecond.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { freshDatabase, testNow, useForFile } from '../../../../test/support/harness.ts';
import { query } from '../../../../test/support/query.ts';
import { type AppClock, appNow, appTimeMax } from '../../src/domain/sandbox/app-clock.ts';
import { appTimeSql } from '../../src/store/clocks/app-time.ts';

const dayMs = 24 * 60 * 60 * 1000;
const yearsMs = 10 * 365 * dayMs;

const database = await useForFile(freshDatabase());

const instants = fc.integer({ min: testNow - yearsMs, max: testNow + yearsMs });
const clock: fc.Arbitrary<AppClock> = fc.record({
  mode: fc.constantFrom('running', 'frozen'),
  rate: fc.oneof(fc.constantFrom(1, 8928, 0.001), fc.double({ min: 0.001, max: 100_000, noNaN: true })),
  realTime: instants,
  appTime: fc.integer({ min: testNow - yearsMs, max: appTimeMax }),
});
/** Instants around the time at which the clock was set, and long before and after it. */
const lookedAt = fc.record({
  clock: fc.option(clock),
  after: fc.oneof(fc.integer({ min: -10, max: 10 }), fc.integer({ min: -yearsMs, max: yearsMs })),
});

test('SQL statements and domain rules compute the same app time to the millisecond', async () => {
  const text = `select ${appTimeSql('c', 'l.real_now')} as now
    from unnest($1::text[], $2::float8[], $3::bigint[], $4::bigint[], $5::bigint[]) with ordinality
      as l (mode, rate, real_time, app_time, real_now, position)
    left join lateral (select l.mode, l.rate, l.real_time, l.app_time where l.mode is not null) as c on true
    order by l.position`;
  const looks = fc.array(lookedAt, { minLength: 50, maxLength: 50 });
  await fc.assert(
    fc.asyncProperty(looks, async (drawn) => {
      const clocks = drawn.map((look) => look.clock);
      const realNows = drawn.map((look) => (look.clock?.realTime ?? testNow) + look.after);
      const rows = await query(database.connection, text, [
        clocks.map((one) => one?.mode ?? null),
        clocks.map((one) => one?.rate ?? null),
        clocks.map((one) => one?.realTime ?? null),
        clocks.map((one) => one?.appTime ?? null),
        realNows,
      ]);
      const expected = clocks.map((one, index) => appNow(one ?? undefined, realNows[index] ?? 0));
      expect(rows.map((row) => Number(row['now']))).toEqual(expected);
    }),
  );
});
