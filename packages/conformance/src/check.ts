// A check: one rule of the specification, and how a server is asked whether it keeps to it.

import type { Evidence, EvidenceName } from './evidence.ts';
import type { Section } from './sections.ts';
import type { Verdict } from './verdict.ts';

export type Group = (typeof groups)[number];

/** In the order of the run: what is consumed and cancelled is read before that. */
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
  /** Where the specification says so. */
  readonly section: Section;
  readonly rule: string;
  /** Whether it may change a purchase or a subscription, if only on a server that is wrong. */
  readonly changes?: true;
}

export interface Check extends Rule {
  /** Its group and its place there, such as `token-03`. */
  readonly id: string;
  readonly group: Group;
  readonly needs: readonly EvidenceName[];
  run(evidence: Evidence): Verdict | Promise<Verdict>;
}

export type CheckDraft = Omit<Check, 'id' | 'group'>;

/** Sees of the evidence what it needs, and is not run where any of that is missing. */
export function check<const Need extends EvidenceName>(
  draft: Rule & {
    readonly needs: readonly Need[];
    readonly run: (evidence: Pick<Evidence, Need>) => Verdict | Promise<Verdict>;
  },
): CheckDraft {
  return draft;
}

/** Numbers the checks of a group. A new check goes to the end of its group: the others keep their ids. */
export function numbered(group: Group, drafts: readonly CheckDraft[]): readonly Check[] {
  return drafts.map((draft, place) => ({
    ...draft,
    group,
    id: `${group}-${String(place + 1).padStart(2, '0')}`,
  }));
}
