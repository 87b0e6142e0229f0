// What the faults share: how long one lasts, and the event feed as a client reads it.

import type { Event } from '../../packages/contract/src/events.ts';
import { operatorOf } from '../../packages/server/test/harness.ts';
import type { ServerAddress } from '../../packages/server/test/start/opentill-process.ts';
import { waitFor } from '../../packages/server/test/wait-for.ts';

/** How long a fault lasts, in ms. */
const faultMs = 10_000;

/** Resolves when a fault that began at `begun`, an instant of performance.now(), has lasted long enough. */
export async function untilFaultEnds(begun: number): Promise<void> {
  const deadlineMs = 2 * faultMs;
  await waitFor(() => performance.now() - begun >= faultMs, { deadlineMs, what: 'the end of a fault' });
}

/** Yields all events of an app in order, and fails if the feed skips or repeats one. */
export async function* eachEvent(address: ServerAddress, packageName: string): AsyncGenerator<Event> {
  let order = 0;
  for (let after: string | undefined, hasMore = true; hasMore; ) {
    const page = await operatorOf(address).listEvents({ packageName, after, pageSize: 200 });
    for (const event of page.events) {
      order += 1;
      if (event.order !== order) throw new Error(`expected event ${order}, got ${event.order}`);
      yield event;
    }
    after = page.cursor;
    hasMore = page.hasMore;
  }
}
