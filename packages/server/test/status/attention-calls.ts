// Reads what needs attention, past the few seconds for which a server remembers it.

import type { AttentionRow } from '@opentill/contract/attention.ts';
import type { AttentionKind } from '@opentill/contract/attention-kinds.ts';
import { listAttention } from '@opentill/contract/operator-api/listAttention.ts';
import { call, type TestServer } from '../harness.ts';
import { callOperator } from '../operator-api/checked-call.ts';

export const rememberedMs = 5_000;

/** The rows of a kind. Five seconds pass before. */
export async function attentionOf(
  server: TestServer,
  kind: AttentionKind,
): Promise<Omit<AttentionRow, 'kind'>[]> {
  await server.clock.advance(rememberedMs);
  const rows: AttentionRow[] = (await callOperator(server, listAttention)).body.rows;
  return rows.filter((row) => row.kind === kind).map(({ kind: _, ...row }) => row);
}

/** The gauge of a kind; undefined if it has no value. */
export async function attentionMetric(server: TestServer, kind: AttentionKind): Promise<number | undefined> {
  const { text } = await call(`${server.operatorUrl}/metrics`);
  const value = new RegExp(`^opentill_attention\\{kind="${kind}"\\} (\\d+)$`, 'm').exec(text)?.[1];
  return value === undefined ? undefined : Number(value);
}
