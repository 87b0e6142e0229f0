// Ends what was on its way to a webhook that is there no more.

import type { Database } from '../store/database.ts';
import { giveUp } from '../store/deliveries.ts';
import { findEventOrder } from '../store/happened-events.ts';

/** Deliveries that one statement gives up: well within its time. */
const givenUpTogether = 5_000;

/**
 * For an app that has no webhook. If it ends early, what is left is given up before the next one is put: events
 * that come after that are not touched.
 */
export async function giveUpAll(database: Database, packageName: string): Promise<void> {
  const until = await findEventOrder(database, packageName);
  for (let count = givenUpTogether; count === givenUpTogether; ) {
    count = await giveUp(database, { packageName, until, limit: givenUpTogether });
  }
}
