// Each planted fault is found by exactly the checks for it.

import { expect, test } from 'vitest';
import { createTestApp, recordTestPurchase, useForFile } from '../../../test/support/harness.ts';
import { runConformance } from '../src/run-conformance.ts';
import { done, type Fault, failed, type Reply, type Seen, startPlantedServer } from './planted-server.ts';

const server = await useForFile(startPlantedServer());
const other = await createTestApp(server.server, 'com.example.other');
const { purchaseId: otherPurchase } = await recordTestPurchase(server.server, other);
const known = { otherPackage: other.packageName, otherPurchase };

interface PlantedFault {
  readonly name: string;
  readonly groups: readonly string[];
  /** Exactly the checks that have to find it. */
  readonly finds: readonly string[];
  readonly fault: Fault;
}

/** Rounds of the event loop within which all concurrent calls arrive. */
const gatheringRounds = 50;

const isToken = ({ path }: Seen) => path === '/v2/oauth/token';
const issued: string[] = [];

const plantedFaults: readonly PlantedFault[] = [
  {
    name: 'expires_in is a string',
    groups: ['token'],
    finds: ['token-03'],
    fault: async (seen, respond) => {
      const { body, ...reply } = await respond(seen);
      const fields = body as { readonly expires_in?: number };
      return { ...reply, body: fields.expires_in ? { ...fields, expires_in: `${fields.expires_in}` } : body };
    },
  },
  {
    name: 'a token never expires',
    groups: ['authorization'],
    finds: ['authorization-10'],
    fault: async (seen, respond) => {
      if (isToken(seen)) {
        const reply = await respond(seen);
        issued.push((reply.body as { access_token: string }).access_token);
        return reply;
      }
      const isKnown = issued.includes(/^Bearer (.+)/.exec(seen.headers.authorization ?? '')?.[1] ?? '');
      const headers = { ...seen.headers, authorization: `Bearer ${issued.at(-1)}` };
      return respond(isKnown ? { ...seen, headers } : seen);
    },
  },
  {
    name: 'there is no continuationKey',
    groups: ['voided'],
    finds: ['voided-04', 'voided-07'],
    fault: async (seen, respond) => {
      const { body, ...reply } = await respond(seen);
      const { continuationKey: _, ...rest } = body as { readonly continuationKey?: string };
      return { ...reply, body: rest };
    },
  },
  {
    name: 'purchases of other apps are consumed',
    groups: ['other-app'],
    finds: ['other-app-04', 'other-app-05'],
    fault: (seen, respond) =>
      seen.path.includes(`/consume/${known.otherPurchase}/`)
        ? done({ consumptionState: 1, purchaseId: known.otherPurchase })
        : respond(seen),
  },
  {
    name: 'a purchase is read first and consumed later, as without a transaction',
    groups: ['consume'],
    finds: ['consume-11'],
    fault: async (seen, respond) => {
      if (seen.method !== 'POST' || !seen.path.includes('/consume/')) return respond(seen);
      const details = { ...seen, method: 'GET', path: seen.path.replace('/consume/', '/details/') };
      const { consumptionState, purchaseState } = (await respond(details)).body as {
        consumptionState?: number;
        purchaseState?: number;
      };
      for (let round = 0; round < gatheringRounds; round += 1) {
        await new Promise((resolve) => setImmediate(resolve));
      }
      const reply = await respond(seen);
      if (consumptionState !== 0 || purchaseState !== 0) return reply;
      return done({ consumptionState: 1, purchaseId: seen.path.split('/')[4] });
    },
  },
];

test.each(plantedFaults)('the checks find a server where $name', async ({ fault, finds, groups: only }) => {
  server.plant(fault);
  const report = await runConformance(
    { ...server.target, known },
    { usesSandbox: true, allowsChanges: true, only },
  );
  expect(report.checks.filter(({ outcome }) => outcome === 'fail').map(({ id }) => id)).toEqual(finds);
});

test('decisions that the specification leaves open pass', async () => {
  server.plant(async (seen, respond) => {
    // A missing header is a missing value, a missing record an undefined error, and the status of errors is not specified.
    if (seen.headers.authorization === undefined && !isToken(seen)) return open(failed(9000));
    if (seen.path.startsWith('/sandbox/')) return respond(seen);
    const reply = await respond(seen);
    const { error } = reply.body as { readonly error?: { readonly code: number } };
    return open(error?.code === 9001 ? failed(9999) : reply);
  });
  const report = await runConformance(
    { ...server.target, known },
    { usesSandbox: true, allowsChanges: true },
  );
  expect(report.checks.filter(({ outcome }) => outcome === 'fail')).toEqual([]);
});

/** Responds like another store might: always with 200, and with fields in another order and an additional one. */
function open({ body }: Reply): Reply {
  const fields = Object.entries({ ...(body as object), storeOfOrigin: 'another' }).reverse();
  const named = fields.map(([name, value]) => [name, name === 'scope' ? '' : value]);
  return { status: 200, body: Object.fromEntries(named) };
}
