import { expect, test } from 'vitest';
import { secureRandomness } from '../../src/runtime/randomness.ts';

test('drawn digits have the asked length, and each of the ten is drawn about as often at each position', () => {
  const draws = Array.from({ length: 10_000 }, () => secureRandomness.digits(13));
  expect(draws.every((digits) => /^\d{13}$/.test(digits))).toBe(true);
  for (let position = 0; position < 13; position += 1) {
    const counts = Map.groupBy(draws, (digits) => digits[position]);
    // Each is drawn 1,000 times with a deviation of 30: ten deviations never happen.
    expect(counts.size).toBe(10);
    for (const { length } of counts.values()) expect(Math.abs(length - 1_000)).toBeLessThan(300);
  }
});
