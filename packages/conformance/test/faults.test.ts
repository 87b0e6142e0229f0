// Each planted fault is found by exactly the checks for it.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { runConformance } from '../src/run-conformance.ts';
import { done } from './reference-server/answers.ts';
import {
  type Fault,
  type ReferenceServer,
  startReferenceServer,
  targetOf,
} from './reference-server/reference-server.ts';

let server: ReferenceServer;
beforeAll(async () => {
  server = await startReferenceServer();
});
afterAll(() => server[Symbol.asyncDispose]());

interface PlantedFault {
  readonly name: string;
  readonly groups: readonly string[];
  /** Exactly the checks that have to find it. */
  readonly finds: readonly string[];
  readonly fault: Fault;
}

/** Rounds of the event loop within which all concurrent calls arrive. */
const gatheringRounds = 50;

const plantedFaults: readonly PlantedFault[] = [
  {
    name: 'expires_in is a string',
    groups: ['token'],
    finds: ['token-03'],
    fault: (seen, answer) => {
      const { body, ...reply } = answer(seen);
      const fields = body as { readonly expires_in?: number };
      return { ...reply, body: fields.expires_in ? { ...fields, expires_in: `${fields.expires_in}` } : body };
    },
  },
  {
    name: 'a token never expires',
    groups: ['authorization'],
    finds: ['authorization-10'],
    fault: (seen, answer, till) => {
      const { authorization = '' } = seen.headers;
      const isKnown = till.isKnown(/^Bearer (.+)/.exec(authorization)?.[1] ?? '');
      const headers = { ...seen.headers, authorization: `Bearer ${till.newestToken}` };
      return answer(isKnown ? { ...seen, headers } : seen);
    },
  },
  {
    name: 'there is no continuationKey',
    groups: ['voided'],
    finds: ['voided-04', 'voided-07', 'voided-09'],
    fault: (seen, answer) => {
      const { body, ...reply } = answer(seen);
      const { continuationKey: _, ...rest } = body as { readonly continuationKey?: string };
      return { ...reply, body: rest };
    },
  },
  {
    name: 'purchases of other apps are consumed',
    groups: ['other-app'],
    finds: ['other-app-04', 'other-app-05'],
    fault: (seen, answer, { seeded: { otherPurchase: purchaseId } }) =>
      seen.path.includes(`/consume/${purchaseId}/`)
        ? done({ consumptionState: 1, purchaseId })
        : answer(seen),
  },
  {
    name: 'a purchase is read first and consumed later, as without a transaction',
    groups: ['consume'],
    finds: ['consume-11'],
    fault: async (seen, answer, { purchases }) => {
      const purchase = seen.path.includes('/consume/') && purchases.get(seen.path.split('/')[4] ?? '');
      if (!purchase) return answer(seen);
      const { isConsumed } = purchase;
      for (let round = 0; round < gatheringRounds; round += 1) {
        await new Promise((resolve) => setImmediate(resolve));
      }
      purchase.isConsumed = isConsumed;
      return answer(seen);
    },
  },
];

test.each(plantedFaults)('the checks find a server where $name', async ({ fault, finds, groups: only }) => {
  const { otherPackage, otherPurchase, otherEnvironmentToken } = server.plant(fault).seeded;
  const target = { ...targetOf(server), known: { otherPackage, otherPurchase, otherEnvironmentToken } };
  const report = await runConformance(target, { usesSandbox: true, allowsChanges: true, only });
  expect(report.checks.filter(({ outcome }) => outcome === 'fail').map(({ id }) => id)).toEqual(finds);
});
