// What has to hold of subscriptions when no charge is out.

import { expect } from 'vitest';
import type { RenewalStage } from './renewal-stage.ts';
import { auditSubscriptions } from './subscription-audit.ts';

export async function expectSound({ server, gateway }: RenewalStage): Promise<void> {
  const audit = await auditSubscriptions(server.connection, gateway.taken);
  expect(audit).toMatchObject({ problems: [], open: 0 });
}
