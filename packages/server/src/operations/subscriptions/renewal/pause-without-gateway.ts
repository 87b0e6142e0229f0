// At the start of a server: pauses renewals that no gateway can charge, and reports a pause of all apps.

import { hasLiveSubscription } from '../../../store/subscriptions/due-renewals.ts';
import { findPause, pauseRenewals, wholeStore } from '../../../store/subscriptions/renewal-pauses.ts';
import { renewalAuthor, type SettlingOptions } from './renewal-options.ts';

/** Without a gateway renewals are paused, so that a later start with one does not charge months unasked. */
export async function reportPause(
  { database, clock, log }: SettlingOptions,
  { hasGateway }: { readonly hasGateway: boolean },
): Promise<void> {
  if (!hasGateway && (await hasLiveSubscription(database.storeWide))) {
    const pause = {
      pausedAt: clock.now(),
      pausedBy: renewalAuthor,
      reason: 'A server has no payment gateway.',
    };
    await pauseRenewals(database, wholeStore, pause);
  }
  const { pausedAt = null, pausedBy, reason } = (await findPause(database, wholeStore)) ?? {};
  if (pausedAt === null) return;
  log.warn(
    { pausedAt, pausedBy, reason },
    'renewals are paused: nothing is charged until an operator resumes them',
  );
}
