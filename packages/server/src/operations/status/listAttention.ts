// Lists what needs attention in the whole store.

import { attentionRowsMax } from '@opentill/contract/attention.ts';
import { listAttention as operation } from '@opentill/contract/operator-api/listAttention.ts';
import { type OperatorHandler, operatorHandler, responded } from '../operator-handler.ts';
import type { AttentionReader } from './attention-reader.ts';

export function listAttention(attention: AttentionReader): OperatorHandler {
  return operatorHandler(operation, async ({ realNow }) => {
    const { checkedAt, rows } = await attention.read(realNow);
    const more = Math.max(0, rows.length - attentionRowsMax);
    return responded(200, { checkedAt, rows: rows.slice(0, attentionRowsMax), more });
  });
}
