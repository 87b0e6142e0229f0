// What the backends of examples/ make of a store that fails.

import { startSandbox } from '@opentill/server/testing';
import { expect, test } from 'vitest';
import { useForFile } from '../../packages/server/test/harness.ts';
import { linesOf, openApp, settingsOf, startBackend } from './example-backend.ts';
import { examples, installed } from './programs.ts';

const store = await useForFile(startSandbox());

test.each(installed(examples))(
  '$name asks for a later report if the store fails with 500',
  async (program) => {
    const app = await openApp(store);
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

const go = examples.filter(({ name }) => name === 'examples/go');

test.each(installed(go))('$name asks for a later report if HOST is not a URL', async (program) => {
  const app = await openApp(store);
  const settings = { ...(await settingsOf(app)), HOST: 'http://[' };
  await using backend = await startBackend(program, settings);
  expect(await backend.post('/purchases', await app.sell('order-1'))).toBe(503);
});
