// Lists the voided purchases of all apps, newest first, with who voided them and why.

import { listVoids as operation } from '@opentill/contract/operator-api/listVoids.ts';
import { Void } from '@opentill/contract/voids.ts';
import { listVoids as readPage, VoidPosition, type VoidRow } from '../../store/purchases/void-lists.ts';
import type { Uses } from '../handler-options.ts';
import { listHandler } from '../list-handler.ts';
import type { OperatorHandler } from '../operator-handler.ts';
import { shown } from '../shown.ts';
import { purchaseStates } from './purchase-response.ts';

export function listVoids({ store: { database } }: Uses<'store'>): OperatorHandler {
  return listHandler(operation, VoidPosition, async ({ query }, page) => {
    const { rows, next } = await readPage(database.scopedTo(query.packageName), query, page);
    return { voids: rows.map(voidResponse), next };
  });
}

function voidResponse(row: VoidRow): Void {
  return shown(Void, { ...row, ...purchaseStates(row) });
}
