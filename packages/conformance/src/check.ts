// A check tests one rule of the specification.

import type { Evidence, EvidenceName } from './evidence.ts';
import type { Section } from './sections.ts';
import type { Verdict } from './verdict.ts';

export type Group = (typeof groups)[number];

/** In the order of the run: purchases are read before they are consumed or cancelled. */
export const groups = [
  'token',
  'authorization',
  'content-type',
  'details',
  'product',
  'subscription',
  'voided',
  'error',
  'size',
  'other-app',
  'manage',
  'consume',
] as const;

interface Rule {
  /** The section of the specification that defines the rule. */
  readonly section: Section;
  readonly rule: string;
  /** Whether it may change a purchase or a subscription, even if only on an incorrect server. */
  readonly changes?: true;
}

export interface Check extends Rule {
  /** The group and the number in it, such as `token-03`. */
  readonly id: string;
  readonly group: Group;
  readonly needs: readonly EvidenceName[];
  run(evidence: Evidence): Verdict | Promise<Verdict>;
}

export type CheckDraft = Omit<Check, 'id' | 'group'>;

/** Declares a check, which gets only the evidence that it needs and does not run if any is missing. */
export function check<const Need extends EvidenceName>(
  draft: Rule & {
    readonly needs: readonly Need[];
    readonly run: (evidence: Pick<Evidence, Need>) => Verdict | Promise<Verdict>;
  },
): CheckDraft {
  return draft;
}

/** Numbers the checks of a group; add new checks at the end, so that ids do not change. */
export function numbered(group: Group, drafts: readonly CheckDraft[]): readonly Check[] {
  return drafts.map((draft, place) => ({
    ...draft,
    group,
    id: `${group}-${String(place + 1).padStart(2, '0')}`,
  }));
}
