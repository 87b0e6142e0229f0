// Faults of the voided list.

import { app } from '../reference-server/till.ts';
import { forgives, type PlantedFault, reads, readsQuery, spoils, spoilsEntries } from './fault-forms.ts';

const voided = /voided-purchases/;

export const voidedPageFaults: readonly PlantedFault[] = [
  {
    name: 'the voided list has another name',
    finds: ['voided-01'],
    fault: spoils(voided, ({ voidedPurchaseList }) => ({ purchases: voidedPurchaseList })),
  },
  {
    name: 'a page has up to 999 entries',
    finds: ['voided-02'],
    fault: readsQuery((query) => query.has('maxResults') || query.set('maxResults', '999')),
  },
  {
    name: 'maxResults is ignored',
    finds: ['voided-03'],
    fault: readsQuery(
      (query) => /^\d{1,3}$/.test(query.get('maxResults') ?? '') && query.delete('maxResults'),
    ),
  },
  {
    name: 'there is no continuationKey',
    finds: ['voided-04', 'voided-07', 'voided-09'],
    fault: spoils(voided, ({ voidedPurchaseList }) => ({ voidedPurchaseList })),
  },
  {
    name: 'a continuationKey leads to the first page',
    finds: ['voided-05'],
    fault: readsQuery(
      (query) => /^key-\d{1,3}$/.test(query.get('continuationKey') ?? '') && query.delete('continuationKey'),
    ),
  },
  {
    name: 'voidedTime is missing',
    finds: ['voided-08'],
    fault: spoilsEntries(({ purchaseId, purchaseTime }) => ({ purchaseId, purchaseTime })),
  },
  {
    name: 'the voids of the last second are not listed',
    finds: ['voided-06', 'voided-09'],
    fault: spoils(voided, (body, _, { now }) => ({
      ...body,
      voidedPurchaseList: body.voidedPurchaseList.filter(
        ({ voidedTime }: { voidedTime: number }) => voidedTime < now - 1_000,
      ),
    })),
  },
  {
    name: 'purchases that are not voided are listed',
    finds: ['voided-10'],
    fault: spoils(voided, (body, _, { now, purchases }) => {
      const others = [...purchases.values()].filter(
        ({ voidedTime, packageName }) => voidedTime === undefined && packageName === app.packageName,
      );
      const entries = others.map(({ purchaseId, purchaseTime }) => ({
        purchaseId,
        purchaseTime,
        voidedTime: now,
      }));
      const isLast = body.continuationKey === undefined && body.voidedPurchaseList.length > 1;
      return { ...body, voidedPurchaseList: [...body.voidedPurchaseList, ...(isLast ? entries : [])] };
    }),
  },
  {
    name: 'a purchase is voided before its purchaseTime',
    finds: ['voided-12'],
    fault: spoilsEntries((entry, { now }) =>
      entry.voidedTime >= now - 1_000 ? { ...entry, voidedTime: entry.purchaseTime - 1 } : entry,
    ),
  },
];

export const voidedQueryFaults: readonly PlantedFault[] = [
  {
    name: 'the startTime is ignored',
    finds: ['voided-13', 'voided-17', 'voided-19', 'size-07'],
    fault: forgives('startTime', /./),
  },
  {
    name: 'the endTime is ignored',
    finds: ['voided-14', 'voided-18', 'voided-20', 'size-08'],
    fault: forgives('endTime', /./),
  },
  {
    name: 'a startTime without an endTime is a single instant',
    finds: ['voided-15'],
    fault: readsQuery((query) => {
      if (!query.has('endTime') && /^1/.test(query.get('startTime') ?? '')) {
        query.set('endTime', query.get('startTime') ?? '');
      }
    }),
  },
  {
    name: 'an endTime without a startTime is a single instant',
    finds: ['voided-16'],
    fault: readsQuery((query) => {
      if (!query.has('startTime') && /^1/.test(query.get('endTime') ?? '')) {
        query.set('startTime', query.get('endTime') ?? '');
      }
    }),
  },
  {
    name: 'a maxResults with a sign is ignored',
    finds: ['voided-21'],
    fault: forgives('maxResults', /^-/),
  },
  {
    name: 'a maxResults that is not a number is ignored',
    finds: ['voided-22', 'error-04'],
    fault: forgives('maxResults', /[a-z]/),
  },
  {
    name: 'an unknown continuationKey is ignored',
    finds: ['voided-23', 'size-06'],
    fault: (seen, answer, till) =>
      readsQuery(
        (query) =>
          till.continuationKeys.has(query.get('continuationKey') ?? '') || query.delete('continuationKey'),
      )(seen, answer, till),
  },
  {
    name: 'any package name is accepted for the voided list',
    finds: ['voided-24', 'error-05', 'size-02', 'other-app-03'],
    fault: reads(({ path }) =>
      voided.test(path) ? { path: `/v2/purchase/voided-purchases/${app.packageName}` } : undefined,
    ),
  },
  {
    name: 'leading zeros are accepted',
    finds: ['size-07', 'size-08', 'size-09'],
    fault: readsQuery((query) => {
      for (const [name, value] of [...query]) query.set(name, value.replace(/^0+/, ''));
    }),
  },
];
