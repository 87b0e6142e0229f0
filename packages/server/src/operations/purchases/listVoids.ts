// Lists the voided purchases of all apps, newest first, with who voided them and why.

import { PackageName, PurchaseId, Timestamp } from '@opentill/contract/fields.ts';
import { listVoids as operation } from '@opentill/contract/operator-api/listVoids.ts';
import type { Void } from '@opentill/contract/voids.ts';
import Type from 'typebox';
import { listVoids as selectVoids, type VoidRow } from '../../store/purchases/void-lists.ts';
import type { Uses } from '../handler-options.ts';
import { answered, type OperatorHandler, operatorHandler } from '../operator-handler.ts';
import { pageToken } from '../page-token.ts';
import { Refusal } from '../refusal.ts';
import { nextPage, pageOfRows, requestedPage } from '../requested-page.ts';
import { purchaseResponse } from './purchase-response.ts';

const token = pageToken(
  Type.Object({ voidedTime: Timestamp, packageName: PackageName, purchaseId: PurchaseId }),
);

export function listVoids({ store: { database } }: Uses<'store'>): OperatorHandler {
  return operatorHandler(operation, async ({ query }) => {
    const page = requestedPage(query, token);
    if (page instanceof Refusal) return page;
    const rows = await selectVoids(database.scopedTo(query.packageName), query, {
      after: page.after,
      limit: page.limit + 1,
    });
    const { items, next } = pageOfRows(rows, page.limit);
    return answered(200, { voids: items.map(voidResponse), ...nextPage(next, token) });
  });
}

function voidResponse({ reasonCode, note, ticket, ...purchase }: VoidRow): Void {
  return {
    ...purchaseResponse(purchase),
    ...(reasonCode !== null && { reasonCode }),
    ...(note !== null && { note }),
    ...(ticket !== null && { ticket }),
  };
}
