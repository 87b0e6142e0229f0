// Checks the invariants of subscriptions without a charge in flight.

import { expect } from 'vitest';
import type { RenewalStage } from '../../../../test/support/renewals/renewal-stage.ts';
import { auditSubscriptions } from '../../../../test/support/renewals/subscription-audit.ts';

export async function expectSound({ server, gateway, clock }: RenewalStage): Promise<void> {
  const audit = await auditSubscriptions(server.connection, gateway.taken, clock.now());
  expect(audit).toMatchObject({ problems: [], open: 0 });
}
