// How many statements an operation sends to the database, those that begin and end a transaction included.

import { Client } from 'pg';
import { expect, test, vi } from 'vitest';
import { operate, useForFile } from '../harness.ts';
import { dayMs, firstDue, nextSubscription, shownSubscription, startRenewalStage } from './renewal-stage.ts';

const stage = await useForFile(startRenewalStage());

/** The statements that are sent during `work`: the name of each, or its text. */
async function statementsOf(work: () => Promise<unknown>): Promise<string[]> {
  using sent = vi.spyOn(Client.prototype, 'query');
  await work();
  return sent.mock.calls.map(([query]) => {
    const { name, text } = query as unknown as { name?: string; text?: string };
    return name ?? text ?? String(query);
  });
}

test('an extension sends at most 10 statements, and the renewal of one month at most 20', async () => {
  const id = await nextSubscription(stage);
  const path = `/apps/${stage.app.packageName}/subscriptions/${id}/extend`;
  const expiryTime = firstDue + dayMs;
  const body = { expiryTime, reasonCode: 'malfunction' };
  const extension = await statementsOf(() => operate(stage.server, 'POST', path, { body }));
  expect(await shownSubscription(stage, id)).toMatchObject({ months: [{ expiryTime }] });
  expect(extension.filter((name) => name.startsWith('select_'))).toEqual(['select_app_time']);
  expect(extension.length, extension.join()).toBeLessThanOrEqual(10);

  // Nothing is due yet: the job only opens its connection.
  await stage.job.runOnce();
  await stage.clock.set(expiryTime);
  const renewal = await statementsOf(() => stage.job.runOnce());
  expect((await shownSubscription(stage, id)).months).toHaveLength(2);
  expect(renewal).toContain('insert_months');
  expect(renewal.length, renewal.join()).toBeLessThanOrEqual(20);
});
