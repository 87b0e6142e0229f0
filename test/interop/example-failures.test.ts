// What the backends of examples/ make of a store that fails.

import { expect, test } from 'vitest';
import { linesOf, openApp, settingsOf, startBackend } from './example-backend.ts';
import { examples, installed } from './programs.ts';

test.each(installed(examples))(
  '$name asks for a later report if the store fails with 500',
  async (program) => {
    const app = await openApp();
    const sold = await app.sell('order-1');
    const settings = await settingsOf(app);
    await using backend = await startBackend(program, settings);
    await app.sandbox.putFaults({
      faults: [{ operation: 'getPurchaseDetailsByProductId', httpStatus: 500 }],
    });
    expect(await backend.post('/purchases', sold)).toBe(503);
    expect(linesOf(settings)).toEqual([]);
    await app.sandbox.putFaults({ faults: [] });
    expect(await backend.post('/purchases', sold)).toBe(200);
  },
);
