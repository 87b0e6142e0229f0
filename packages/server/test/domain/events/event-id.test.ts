import { EventId } from '@opentill/contract/events.ts';
import fc from 'fast-check';
import Value from 'typebox/value';
import { describe, expect, test } from 'vitest';
import { type EventOrigin, eventIdOf, parseEventPosition } from '../../../src/domain/events/event-id.ts';
import { anyCharacter } from '../arbitraries.ts';

const origins: fc.Arbitrary<EventOrigin> = fc.record({
  environment: fc.constantFrom('sandbox', 'production'),
  packageName: fc.constantFrom('com.example.game', 'com.example.game2', 'com.example'),
  order: fc.integer({ min: 1, max: 999_999_999_999_999 }),
  requestId: fc.constantFrom('a-1', 'a-11', 'b-1'),
});

describe('event ids', () => {
  test('an event id is the same in every release', () => {
    const origin = {
      environment: 'sandbox',
      packageName: 'com.example.game',
      order: 12,
      requestId: 'a-1',
    } as const;
    expect(eventIdOf(origin)).toBe('evt_12_uLFZSQKhDUQ8Dyoy');
  });

  test('an event id matches the contract and contains its order', () => {
    fc.assert(
      fc.property(origins, (origin) => {
        const id = eventIdOf(origin);
        expect(Value.Check(EventId, id)).toBe(true);
        expect(parseEventPosition(id)).toEqual({ order: origin.order, id });
      }),
    );
  });

  test('an event id changes with every part of its origin', () => {
    fc.assert(
      fc.property(origins, origins, (one, other) => {
        const isSame = JSON.stringify(one) === JSON.stringify(other);
        expect(eventIdOf(one) === eventIdOf(other)).toBe(isSame);
        expect(eventIdOf(one)).not.toBe(eventIdOf({ ...one, order: one.order + 1 }));
        expect(eventIdOf(one)).not.toBe(eventIdOf({ ...one, requestId: `${one.requestId}1` }));
      }),
    );
  });
});

describe('feed positions', () => {
  test.each([
    ['0', 0],
    ['1', 1],
    ['999999999999999', 999_999_999_999_999],
  ])('%s is an order', (text, order) => {
    expect(parseEventPosition(text)).toEqual({ order });
  });

  test.each([
    '',
    ' 1',
    '01',
    '-1',
    '1.0',
    '1000000000000000',
    '１',
    'now',
    'evt_01_aaaaaaaaaaaaaaaa',
    'evt_1_aaaaaaaaaaaaaaa',
    'evt_1_aaaaaaaaaaaaaaaaa',
    'evt_1_aaaaaaaaaaaaaaa=',
    'evt_1_aaaaaaaaaaaaaaaa\n',
    'evt_1000000000000000_aaaaaaaaaaaaaaaa',
  ])('%j is not a feed position', (text) => {
    expect(parseEventPosition(text)).toBeUndefined();
  });

  test('any text parsed as a feed position is exactly that order or id', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (text) => {
        const place = parseEventPosition(text);
        if (place === undefined) return;
        expect([String(place.order), place.id]).toContain(text);
      }),
    );
  });
});
