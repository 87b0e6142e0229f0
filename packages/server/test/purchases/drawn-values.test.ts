// Random purchase ids and app numbers that are already in use.

import { beforeEach, expect, test } from 'vitest';
import { type Randomness, secureRandomness } from '../../src/runtime/randomness.ts';
import { operate, useTestServer } from '../harness.ts';

/** The values to draw, one after another; the last one is drawn repeatedly. */
let drawn: number[] = [];
beforeEach(() => {
  drawn = [];
});
const next = (): number => (drawn.length > 1 ? drawn.shift() : drawn[0]) ?? 0;
const randomness: Randomness = {
  bytes: (count) => secureRandomness.bytes(count),
  digits: (count) => String(next()).padStart(count, '0'),
  uint32: next,
};
const server = await useTestServer({ randomness });

async function create(packageName: string, ...values: number[]): Promise<number> {
  drawn = values;
  return (await operate(server, 'POST', '/apps', { body: { packageName } })).status;
}

test('an app number that is taken is drawn again and never shared', async () => {
  expect(await create('com.first', 7)).toBe(201);
  expect(await create('com.second', 7, 7, 7, 8)).toBe(201);
  expect(await create('com.third', 7)).toBe(500);
  expect(await create('com.third', 9)).toBe(201);
});

test('a purchase id that is taken is drawn again, and the existing purchase is unchanged', async () => {
  await create('com.recorded', 100);
  const path = '/apps/com.recorded';
  const body = { type: 'one_time', price: 1, currency: 'EUR' };
  await operate(server, 'PUT', `${path}/products/coins`, { body });
  const record = (buyerId: string, ...values: number[]) => {
    drawn = values;
    return operate(server, 'POST', `${path}/purchases`, { body: { productId: 'coins', buyerId } });
  };
  expect((await record('ann', 7)).body).toMatchObject({ purchaseId: 'SANDBOX0000000000007' });
  expect((await record('bob', 7, 7, 8)).body).toMatchObject({ purchaseId: 'SANDBOX0000000000008' });
  expect((await record('eve', 7)).status).toBe(500);
  const kept = await operate(server, 'GET', `${path}/purchases/SANDBOX0000000000007`);
  expect(kept.body).toMatchObject({ buyerId: 'ann', history: [{ type: 'purchase.completed' }] });
});
