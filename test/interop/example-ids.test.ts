// Ids that a device reports to the backends of examples/: what is not of the form of an id gets no further.

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { linesOf, openApp, settingsOf, startBackend } from './example-backend.ts';
import { examples, installed } from './programs.ts';

/** Spellings of the purchase CHEAP-1 and others that no id has; `<app>` is the package name. */
const table = readFileSync(new URL('./hostile-ids.json', import.meta.url), 'utf8');

test.each(installed(examples))(
  '$name refuses every id that is not of the form with 409 before it calls the store, and writes nothing',
  async (program) => {
    const app = await openApp();
    const hostile = JSON.parse(table.replaceAll('<app>', app.packageName));
    const cheap = await app.sell('order-1', { purchaseId: 'CHEAP-1' });
    await app.offer('gems');
    const settings = await settingsOf(app);
    await using backend = await startBackend(program, settings);
    const accepted: unknown[] = [];
    for (const purchaseId of [...hostile.both, ...hostile.purchaseId, undefined]) {
      const status = await backend.post('/purchases', { ...cheap, productId: 'gems', purchaseId });
      if (status !== 409) accepted.push({ purchaseId, status });
    }
    for (const productId of [...hostile.both, ...hostile.productId, undefined]) {
      const status = await backend.post('/purchases', { ...cheap, productId });
      if (status !== 409) accepted.push({ productId, status });
    }
    for (const id of [...hostile.both, ...hostile.purchaseId].filter((value) => typeof value === 'string')) {
      const { status } = await backend.get(`/access/${encodeURIComponent(id.toWellFormed())}`);
      if (status !== 404) accepted.push({ access: id, status });
    }
    expect(accepted).toEqual([]);
    expect(linesOf(settings)).toEqual([]);
    expect(await app.called()).toEqual([]);
  },
);

test.each(installed(examples))(
  '$name delivers a purchase whose ids have every allowed character and the largest size',
  async (program) => {
    const app = await openApp();
    const productId = 'AZaz09._-'.padEnd(150, 'x');
    await app.offer(productId);
    const sold = await app.sell('order-1', { productId, purchaseId: '.AZaz09._-'.padEnd(20, 'x') });
    const settings = await settingsOf(app);
    await using backend = await startBackend(program, settings);
    expect(await backend.post('/purchases', sold)).toBe(200);
    expect(linesOf(settings)).toEqual([`delivered ${sold.purchaseId}`]);
    expect(await app.isConsumed(sold)).toBe(true);
  },
);
