// Remembers for a few seconds what needs attention, for pages that poll and for the metrics.

import type { AttentionRow } from '@opentill/contract/attention.ts';
import { type AttentionKind, attentionKindNames } from '@opentill/contract/attention-kinds.ts';
import { DatabaseUnavailable } from '../../store/connection/database-failure.ts';
import { type AttentionOptions, findAttention } from './attention-findings.ts';

/** How old a response may be, in ms. */
const rememberedMs = 5_000;

interface Found {
  readonly checkedAt: number;
  readonly rows: readonly AttentionRow[];
}

export class AttentionReader {
  readonly #options: AttentionOptions;
  #last: { readonly checkedAt: number; readonly finding: Promise<Found> } | undefined;

  constructor(options: AttentionOptions) {
    this.#options = options;
  }

  /** Concurrent calls share a reading; one that failed is not remembered. */
  read(now: number): Promise<Found> {
    if (this.#last !== undefined && Math.abs(now - this.#last.checkedAt) < rememberedMs)
      return this.#last.finding;
    const finding = findAttention(this.#options, now).then((rows) => ({ checkedAt: now, rows }));
    const last = { checkedAt: now, finding };
    this.#last = last;
    finding.catch(() => {
      if (this.#last === last) this.#last = undefined;
    });
    return finding;
  }

  /** The sum of the counts of each kind; undefined while the database is unavailable. */
  async counts(now: number): Promise<ReadonlyMap<AttentionKind, number> | undefined> {
    try {
      const { rows } = await this.read(now);
      return new Map(
        attentionKindNames.map((name) => [
          name,
          rows.filter(({ kind }) => kind === name).reduce((sum, { count }) => sum + count, 0),
        ]),
      );
    } catch (error) {
      if (error instanceof DatabaseUnavailable) return undefined;
      throw error;
    }
  }
}
