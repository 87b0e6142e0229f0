// The voided list through the client: all pages of a range, and runs that follow it without gaps or duplicates.

import { beforeEach, describe, expect, test } from 'vitest';
import { testNow, useForFile } from '../../../test/support/harness.ts';
import type { Follow, VoidedPosition } from '../src/index.ts';
import { type StagedApp, startClientStage } from './client-stage.ts';

const dayMs = 24 * 60 * 60 * 1000;

const stage = await useForFile(startClientStage());
let app: StagedApp;
beforeEach(async () => {
  await stage.server.clock.set(testNow);
  app = await stage.createApp();
});

/** Voids `count` purchases one after the other and returns their ids in that order. */
async function voided(count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let n = 0; n < count; n += 1) {
    const { purchaseId } = await app.sandbox.recordPurchase({ productId: 'coins' });
    await app.sandbox.voidPurchase({ purchaseId });
    ids.push(purchaseId);
  }
  return ids;
}

/** A backend that stores its position together with the voids that it has processed. */
class Backend {
  readonly taken: string[] = [];
  since: VoidedPosition | number;
  saves = 0;
  /** The number of the save that fails. */
  failsAt = 0;

  constructor(since: VoidedPosition | number) {
    this.since = since;
  }

  async run(maxResults?: number): Promise<void> {
    const save: Follow['save'] = ({ voidedPurchases, position }) => {
      this.saves += 1;
      if (this.saves === this.failsAt) throw new Error('the disk is full');
      this.taken.push(...voidedPurchases.map(({ purchaseId }) => purchaseId));
      // A position is stored as JSON.
      this.since = JSON.parse(JSON.stringify(position));
    };
    expect(await app.client.followVoidedPurchases({ since: this.since, save, maxResults })).toEqual(
      this.since,
    );
  }
}

test('voidedPurchases yields every entry of a range over all pages in the order of voiding', async () => {
  const ids = await voided(5);
  const walk = app.client.voidedPurchases({ startTime: testNow, endTime: testNow, maxResults: 2 });
  expect(await Array.fromAsync(walk, ({ purchaseId }) => purchaseId)).toEqual(ids);
  expect(app.called.filter((operation) => operation === 'voided-purchases')).toHaveLength(3);
  const before = app.client.voidedPurchases({ endTime: testNow - 1 });
  expect(await Array.fromAsync(before)).toEqual([]);
});

describe('followVoidedPurchases', () => {
  test('followVoidedPurchases returns each void once over several runs, including voids of the same instant', async () => {
    const backend = new Backend(testNow - dayMs);
    const ids = await voided(3);
    await backend.run();
    expect(backend.taken).toEqual(ids);
    ids.push(...(await voided(2)));
    await backend.run();
    ids.push(...(await voided(3)));
    await backend.run(2);
    expect(backend.taken).toEqual(ids);
    await stage.server.clock.advance(1);
    ids.push(...(await voided(2)));
    await backend.run(1);
    await backend.run();
    expect(backend.taken).toEqual(ids);
  });

  test('followVoidedPurchases returns each void once while other purchases are being voided', async () => {
    const ids: string[] = [];
    let isVoiding = true;
    const voiding = (async () => {
      for (let round = 0; round < 12; round += 1) {
        ids.push(...(await Promise.all([voided(1), voided(1)])).flat());
        await stage.server.clock.advance(round % 3);
      }
      isVoiding = false;
    })();
    const backend = new Backend(testNow - dayMs);
    while (isVoiding) await backend.run(3);
    await voiding;
    await backend.run();
    expect(backend.taken.toSorted()).toEqual(ids.toSorted());
    expect(backend.saves).toBeGreaterThan(4);
  });

  test('followVoidedPurchases repeats a page whose save failed, and no saved one', async () => {
    const ids = await voided(5);
    const backend = new Backend(testNow);
    const save: Follow['save'] = ({ voidedPurchases, position }) => {
      if (backend.taken.length >= 2) throw new Error('the disk is full');
      backend.taken.push(...voidedPurchases.map(({ purchaseId }) => purchaseId));
      backend.since = position;
    };
    const failed = app.client.followVoidedPurchases({ since: testNow, save, maxResults: 2 });
    await expect(failed).rejects.toThrow('the disk is full');
    expect(backend.taken).toEqual(ids.slice(0, 2));
    await backend.run();
    expect(backend.taken).toEqual(ids);
  });
});

test('a backend that was away for months gets each void of that time once, also after a failed save', async () => {
  const backend = new Backend(testNow);
  await backend.run();
  const ids: string[] = [];
  // On both sides of each month that is asked for, a pause of two months, and the present.
  for (const days of [0, 30, 31, 31, 62, 93, 93.5, 160, 191, 199, 200]) {
    await stage.server.clock.set(testNow + days * dayMs);
    ids.push(...(await voided(3)));
  }
  for (const failing of [1, 3, 4]) {
    backend.failsAt = backend.saves + failing;
    await expect(backend.run(2)).rejects.toThrow('the disk is full');
  }
  backend.failsAt = 0;
  await backend.run(2);
  expect(backend.taken).toEqual(ids);
});

test('the position moves on without voids, so that the next run needs one call', async () => {
  const backend = new Backend(testNow);
  const ids = await voided(2);
  await backend.run();
  await stage.server.clock.set(testNow + 100 * dayMs);
  await backend.run();
  const calls = app.called.length;
  await backend.run();
  expect(app.called.slice(calls)).toEqual(['voided-purchases']);
  ids.push(...(await voided(1)));
  await backend.run();
  expect(backend.taken).toEqual(ids);
});

test('a query that is rejected for another reason than its age fails with the reason of the server', async () => {
  const follow = (since: number) => app.client.followVoidedPurchases({ since, save: () => undefined });
  await expect(follow(testNow + dayMs)).rejects.toThrow(/^getVoidedPurchases: startTime: .* ahead/);
  await expect(follow(0)).rejects.toThrow(/^getVoidedPurchases: startTime: expected 13 digits/);
});
