import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { PackageName } from '../../../src/domain/identifiers.ts';
import { encodeContinuationKey } from '../../../src/domain/purchases/continuation-key.ts';
import {
  decideVoidedRange,
  type RawParameter,
  type VoidedQuery,
} from '../../../src/domain/purchases/voided-range.ts';
import { quoteInstant } from '../../../src/domain/text/quoted-value.ts';
import { anyCharacter, instants } from '../arbitraries.ts';

const now = 1_770_000_000_000;
const month = 2_678_400_000;
const packageName = 'com.example.game' as PackageName;
const secrets = [Buffer.alloc(32, 1)];

const decide = (query: VoidedQuery) => decideVoidedRange(query, { now, latest: now }, packageName, secrets);
const keyPoint = {
  start: now - 3 * month,
  end: now - 2 * month,
  lastVoidedTime: now - 2 * month,
  lastOrder: 7,
};
const continuationKey = encodeContinuationKey(keyPoint, packageName, secrets);

describe('the range', () => {
  test('a continuation key determines the range, however old, and the page starts after its last entry', () => {
    expect(decide({ continuationKey, maxResults: '5' })).toEqual({
      kind: 'range',
      start: keyPoint.start,
      end: keyPoint.end,
      isEndOpen: false,
      after: { voidedTime: keyPoint.lastVoidedTime, order: 7 },
      maxResults: 5,
    });
  });

  test('a continuation key overrides any valid bounds sent with it', () => {
    const text = instants.map(String);
    fc.assert(
      fc.property(text, text, (startTime, endTime) => {
        expect(decide({ continuationKey, startTime, endTime })).toEqual(decide({ continuationKey }));
      }),
    );
  });
});

describe('rejected queries', () => {
  const twice = [`${now}`, `${now}`];
  test.each<[string, VoidedQuery, string]>([
    ['with a duplicate key', { continuationKey: [continuationKey, continuationKey] }, 'continuationKey'],
    ['with a duplicate maxResults', { maxResults: ['1', '1', '1'] }, 'maxResults'],
    ['with two empty keys', { continuationKey: ['', ''] }, 'continuationKey'],
    ['with an empty startTime', { startTime: '' }, 'startTime'],
    ['with an empty endTime next to a key', { continuationKey, endTime: '' }, 'endTime'],
    ['with a key that is the text null', { continuationKey: 'null' }, 'continuationKey'],
    ['with a malformed bound next to a key', { continuationKey, startTime: 'now' }, 'startTime'],
    ['with a duplicate bound next to a key', { continuationKey, endTime: twice }, 'endTime'],
    ['with a wrong maxResults next to a key', { continuationKey, maxResults: '0' }, 'maxResults'],
  ])('a query %s is rejected with a reason that names the parameter', (_title, query, name) => {
    const reason = expect.stringMatching(new RegExp(`^${name}: `));
    expect(decide(query)).toEqual({ kind: 'refused', reason });
  });

  test('a bound that another time allows is rejected with its distance', () => {
    const early = now - month - 60_001;
    expect(decide({ startTime: `${early}` })).toEqual({
      kind: 'refused',
      reason: `startTime: expected at least ${quoteInstant(now - month)}, 31 days before now, got ${quoteInstant(early)}`,
      aheadMs: 0,
    });
    for (const name of ['startTime', 'endTime']) {
      expect(decide({ [name]: `${now + 5}` })).toEqual({
        kind: 'refused',
        reason: `${name}: expected at most ${quoteInstant(now)}, which is now, got ${quoteInstant(now + 5)}, which is 5 ms ahead`,
        aheadMs: 5,
      });
    }
  });

  test('a bound may lie after now, up to the last void of the app', () => {
    const present = { now, latest: now + 3 };
    const decideAt = (query: VoidedQuery) => decideVoidedRange(query, present, packageName, secrets);
    expect(decideAt({ startTime: `${now + 3}` })).toMatchObject({
      start: now + 3,
      end: now + 3,
      isEndOpen: true,
    });
    expect(decideAt({ endTime: `${now + 4}` })).toMatchObject({ kind: 'refused', aheadMs: 1 });
  });

  test('the reason is short and printable for any input', () => {
    const garbage = fc.string({ unit: anyCharacter, maxLength: 400, size: 'max' });
    fc.assert(
      fc.property(
        garbage,
        fc.constantFrom('startTime', 'endTime', 'continuationKey', 'maxResults'),
        (raw, name) => {
          fc.pre(raw !== '');
          const decision = decide({ [name]: raw });
          if (decision.kind === 'range') throw new Error(`A random text was accepted as ${name}.`);
          expect(decision.reason).toMatch(/^[^\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]{1,150}$/u);
        },
      ),
    );
  });
});

describe('maxResults', () => {
  test.each(['1', '5', '007', '999'])('maxResults %s is accepted as the number written', (maxResults) => {
    expect(decide({ maxResults })).toHaveProperty('maxResults', Number(maxResults));
  });

  test('an empty maxResults or continuationKey counts as absent, also next to the other', () => {
    const whole = decide({});
    expect(decide({ maxResults: '' })).toEqual(whole);
    expect(decide({ continuationKey: '', maxResults: '' })).toEqual(whole);
    expect(decide({ continuationKey, maxResults: '' })).toEqual(decide({ continuationKey }));
  });

  test.each(['0', '1000', '-1', '5.0', ' 5', '5\n', '٥'])('maxResults %j is rejected', (maxResults) => {
    const reason = expect.stringMatching(/^maxResults: expected an integer from 1 to 999, got "/);
    expect(decide({ maxResults })).toEqual({ kind: 'refused', reason });
  });
});

/** The rules as the specification lists them, in their simplest form. */
function rangeByTheRules(query: { startTime?: RawParameter; endTime?: RawParameter }) {
  const sent = [query.startTime, query.endTime].filter((raw) => raw !== undefined);
  for (const raw of sent) {
    if (Array.isArray(raw)) return 'refused';
    if (raw.length !== 13 || [...raw].some((character) => !'0123456789'.includes(character)))
      return 'refused';
    if (Number(raw) > now) return 'refused';
  }
  const [start, end] = [query.startTime, query.endTime].map((raw) =>
    raw === undefined ? undefined : Number(raw),
  );
  if (start !== undefined && now - start > 31 * 86_400_000 + 60_000) return 'refused';
  if (start !== undefined && end !== undefined) return start > end ? 'refused' : { start, end };
  if (start !== undefined) {
    const aMonthLater = start + 31 * 86_400_000;
    if (aMonthLater < now) return { start, end: aMonthLater };
    return { start, end: now };
  }
  if (end !== undefined) return { start: end - 31 * 86_400_000, end };
  return { start: now - 31 * 86_400_000, end: now };
}

test('every combination of bounds is decided according to the specification', () => {
  const near = (instant: number) =>
    fc.integer({ min: -70_000, max: 70_000 }).map((offset) => `${instant + offset}`);
  const aroundMonth = [-60_001, -60_000, -1_001, -1_000, 0].map((edge) => edge - month);
  const edges = [...aroundMonth, -1, 0, 1, 1_000, 1_001].map((edge) => `${now + edge}`);
  const bound: fc.Arbitrary<RawParameter> = fc.oneof(
    fc.constant(undefined),
    near(now),
    near(now - month),
    fc.integer({ min: now - month, max: now }).map(String),
    fc.integer({ min: 1_000_000_000_000, max: now }).map(String),
    fc.constantFrom(...edges),
    fc.string(),
    fc.array(near(now), { minLength: 2, maxLength: 3 }),
  );
  fc.assert(
    fc.property(bound, bound, (startTime, endTime) => {
      const decision = decide({ startTime, endTime });
      const { kind } = decision;
      const decided = decision.kind === 'range' ? { start: decision.start, end: decision.end } : kind;
      expect(decided).toEqual(rangeByTheRules({ startTime, endTime }));
      if (decision.kind === 'range') {
        expect(decision.start).toBeLessThanOrEqual(decision.end);
        expect(decision.isEndOpen).toBe(endTime === undefined && decision.end >= now - 1_000);
        expect(decision.maxResults).toBe(100);
      }
    }),
    { numRuns: 2000 },
  );
});
