// Reads what needs attention, past the few seconds for which a server remembers it.

import type { AttentionRow } from '@opentill/contract/attention.ts';
import type { AttentionKind } from '@opentill/contract/attention-kinds.ts';
import { listAttention } from '@opentill/contract/operator-api/listAttention.ts';
import { call, type TestServer } from '../harness.ts';
import { callOperator } from '../http/checked-call.ts';

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

/** The gauge of a kind by app, where '' is the whole store. */
export async function attentionMetric(
  server: TestServer,
  kind: AttentionKind,
): Promise<Readonly<Record<string, number>>> {
  const { text } = await call(`${server.operatorUrl}/metrics`);
  const lines = text.matchAll(new RegExp(`^opentill_attention\\{kind="${kind}",app="(.*)"\\} (\\d+)$`, 'gm'));
  return Object.fromEntries([...lines].map(([, app, value]) => [app, Number(value)]));
}
