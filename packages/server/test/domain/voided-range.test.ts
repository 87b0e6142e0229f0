import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PackageName } from '../../src/domain/identifiers.ts';
import { encodeContinuationKey } from '../../src/domain/purchases/continuation-key.ts';
import {
  decideVoidedRange,
  type RawParameter,
  type VoidedQuery,
} from '../../src/domain/purchases/voided-range.ts';
import { anyCharacter, instants } from './arbitraries.ts';

const now = 1_770_000_000_000;
const month = 2_678_400_000;
const packageName = 'com.example.game' as PackageName;
const secrets = [Buffer.alloc(32, 1)];

const decide = (query: VoidedQuery) => decideVoidedRange(query, now, packageName, secrets);
const keyPoint = {
  start: now - 3 * month,
  end: now - 2 * month,
  lastVoidedTime: now - 2 * month,
  lastOrder: 7,
};
const continuationKey = encodeContinuationKey(keyPoint, packageName, secrets);

describe('the range', () => {
  const cases = [
    ['is the last month when nothing is sent', {}, { start: now - month, end: now }],
    [
      'ends now when only a start within the last month is sent',
      { startTime: `${now - 1000}` },
      { start: now - 1000, end: now },
    ],
    [
      'ends a month after a start that is older than that by the forgiven minute',
      { startTime: `${now - month - 60_000}` },
      { start: now - month - 60_000, end: now - 60_000 },
    ],
    [
      'starts a month before an end that is sent alone, though that lies earlier than a month ago',
      { endTime: `${now - month}` },
      { start: now - 2 * month, end: now - month },
    ],
    [
      'may end within the forgiven second after now',
      { endTime: `${now + 1000}` },
      { start: now + 1000 - month, end: now + 1000 },
    ],
    [
      'is one instant when a start within that second is sent alone',
      { startTime: `${now + 1000}` },
      { start: now + 1000, end: now + 1000 },
    ],
    [
      'may be one instant',
      { startTime: `${now - 5}`, endTime: `${now - 5}` },
      { start: now - 5, end: now - 5 },
    ],
  ] as const;

  it.each(cases)('%s', (_title, query, expected) => {
    const endIsDerived = !('endTime' in query);
    expect(decide(query)).toEqual({ kind: 'range', ...expected, endIsDerived, maxResults: 100 });
  });

  it('of a continuation key counts, however old, and goes on after its last entry', () => {
    expect(decide({ continuationKey, maxResults: '5' })).toEqual({
      kind: 'range',
      start: keyPoint.start,
      end: keyPoint.end,
      endIsDerived: false,
      after: { voidedTime: keyPoint.lastVoidedTime, order: 7 },
      maxResults: 5,
    });
  });

  it('of a continuation key is not changed by bounds beside it, whatever they are', () => {
    const text = instants.map(String);
    fc.assert(
      fc.property(text, text, (startTime, endTime) => {
        expect(decide({ continuationKey, startTime, endTime })).toEqual(decide({ continuationKey }));
      }),
    );
  });
});

describe('a query is refused', () => {
  const twice = [`${now}`, `${now}`];
  const cases: readonly (readonly [string, VoidedQuery, string])[] = [
    ['with a start older than the forgiven minute', { startTime: `${now - month - 60_001}` }, 'startTime'],
    ['with an end older than that too', { endTime: `${now - month - 60_001}` }, 'endTime'],
    ['with a start after the forgiven second', { startTime: `${now + 1001}` }, 'startTime'],
    ['with an end after the forgiven second', { endTime: `${now + 1001}` }, 'endTime'],
    ['with its start after its end', { startTime: `${now - 1}`, endTime: `${now - 2}` }, 'startTime'],
    ['with an empty bound', { startTime: '' }, 'startTime'],
    ['with a bound of 12 digits', { endTime: '999999999999' }, 'endTime'],
    ['with a bound of 14 digits', { endTime: '01770000000000' }, 'endTime'],
    ['with a sign before a bound', { startTime: '+177000000000' }, 'startTime'],
    ['with a line end after a bound', { startTime: `${now}\n` }, 'startTime'],
    ['with a doubled start', { startTime: twice }, 'startTime'],
    ['with a doubled end', { endTime: twice }, 'endTime'],
    ['with a doubled key', { continuationKey: [continuationKey, continuationKey] }, 'continuationKey'],
    ['with a doubled maxResults', { maxResults: ['1', '1', '1'] }, 'maxResults'],
    ['with an empty key', { continuationKey: '' }, 'continuationKey'],
    ['with a malformed bound beside a key', { continuationKey, startTime: 'now' }, 'startTime'],
    ['with a doubled bound beside a key', { continuationKey, endTime: twice }, 'endTime'],
    ['with a wrong maxResults beside a key', { continuationKey, maxResults: '0' }, 'maxResults'],
  ];

  it.each(cases)('%s, saying what was expected', (title, query, name) => {
    // The one refusal that another server's later clock can lift.
    const isAfterNow = title.includes('after the forgiven second') && { isAfterNow: true };
    const reason = expect.stringMatching(new RegExp(`^${name}: `));
    expect(decide(query)).toEqual({ kind: 'refused', reason, ...isAfterNow });
  });

  it('with a key of another app', () => {
    const foreign = encodeContinuationKey(keyPoint, 'com.example.other' as PackageName, secrets);
    expect(decide({ continuationKey: foreign })).toHaveProperty('kind', 'refused');
  });

  it('in a message that is short and printable, whatever came', () => {
    const garbage = fc.string({ unit: anyCharacter, maxLength: 400, size: 'max' });
    fc.assert(
      fc.property(
        garbage,
        fc.constantFrom('startTime', 'endTime', 'continuationKey', 'maxResults'),
        (raw, name) => {
          const decision = decide({ [name]: raw });
          if (decision.kind === 'range') throw new Error(`A random text was taken for ${name}.`);
          expect(decision.reason).toMatch(/^[\x20-\x7e]{1,150}$/);
        },
      ),
    );
  });
});

describe('maxResults', () => {
  it.each(['1', '5', '007', '999'])('%s is taken as the number that its digits say', (maxResults) => {
    expect(decide({ maxResults })).toHaveProperty('maxResults', Number(maxResults));
  });

  const wrong = [
    '',
    '0',
    '000',
    '1000',
    '0100',
    '-1',
    '+5',
    '5.0',
    '5e1',
    '0x10',
    ' 5',
    '5 ',
    '5\n',
    '1_0',
    '٥',
    'all',
  ];
  it.each(wrong)('%j is refused', (maxResults) => {
    const reason = expect.stringMatching(/^maxResults: expected an integer from 1 to 999, got "/);
    expect(decide({ maxResults })).toEqual({ kind: 'refused', reason });
  });
});

/** The rules once more, as the specification lists them, in the plainest way. */
function rangeByTheRules(query: { startTime?: RawParameter; endTime?: RawParameter }) {
  const sent = [query.startTime, query.endTime].filter((raw) => raw !== undefined);
  for (const raw of sent) {
    if (Array.isArray(raw)) return 'refused';
    if (raw.length !== 13 || [...raw].some((character) => !'0123456789'.includes(character)))
      return 'refused';
    const age = now - Number.parseInt(String(raw), 10);
    if (age > 31 * 86_400_000 + 60_000 || age < -1000) return 'refused';
  }
  const [start, end] = [query.startTime, query.endTime].map((raw) =>
    raw === undefined ? undefined : Number(raw),
  );
  if (start !== undefined && end !== undefined) return start > end ? 'refused' : { start, end };
  if (start !== undefined) {
    const aMonthLater = start + 31 * 86_400_000;
    if (aMonthLater < now) return { start, end: aMonthLater };
    return { start, end: start > now ? start : now };
  }
  if (end !== undefined) return { start: end - 31 * 86_400_000, end };
  return { start: now - 31 * 86_400_000, end: now };
}

it('every combination of bounds is decided as the rules say', () => {
  const near = (instant: number) =>
    fc.integer({ min: -70_000, max: 70_000 }).map((offset) => `${instant + offset}`);
  const edges = [-month - 60_001, -month - 60_000, -month, -1, 0, 1, 1000, 1001].map(
    (edge) => `${now + edge}`,
  );
  const bound: fc.Arbitrary<RawParameter> = fc.oneof(
    fc.constant(undefined),
    near(now),
    near(now - month),
    fc.integer({ min: now - month, max: now }).map(String),
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
        expect(decision.endIsDerived).toBe(endTime === undefined);
      }
    }),
    { numRuns: 2000 },
  );
});
