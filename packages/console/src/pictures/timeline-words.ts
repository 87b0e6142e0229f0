// What the picture of a subscription says in words: a mark, and the whole picture.

import { useInstantText } from '../parts/instant.tsx';
import type { BarKind, TimelineBar, TimelineData } from './timeline-data.ts';

export const barText: Readonly<Record<BarKind, string>> = {
  paid: 'paid',
  voided: 'voided',
  outstanding: 'outstanding',
  retried: 'retried until paid',
  next: 'next',
};

/** A month or the time after the last one, in words. */
export function barName({ kind, periodIndex }: TimelineBar): string {
  return `${periodIndex === undefined ? 'Not paid yet' : `Month ${periodIndex + 1}`}, ${barText[kind]}`;
}

/** Returns a function for the picture in one sentence. */
export function useTimelineSummary(): (data: TimelineData) => string {
  const instantText = useInstantText();
  return ({ from, to, bars, charges, switches }) => {
    const count = (kind: BarKind) => bars.filter((bar) => bar.kind === kind).length;
    const declined = charges.filter(({ kind }) => kind === 'declined' || kind === 'final').length;
    const parts = [
      `${count('paid')} paid months`,
      `${count('voided')} voided`,
      `${charges.length} charges, ${declined} declined`,
      `${switches.length} changes of auto-payment`,
      ...(count('outstanding') > 0 ? ['a payment is outstanding'] : []),
    ];
    return `From ${instantText(from)} to ${instantText(to)}: ${parts.join(', ')}.`;
  };
}

/** A row of the picture as a table. */
export interface TimelineRow {
  readonly time: number;
  /** Of a month. */
  readonly end?: number;
  readonly what: string;
  readonly madeBy?: string;
}

/** Everything that the picture shows, in order of time. */
export function timelineRows({ bars, charges, switches }: TimelineData): TimelineRow[] {
  const months = bars.map(({ kind, start, end, periodIndex }) => ({
    time: start,
    end,
    what:
      periodIndex === undefined
        ? `Not paid yet: ${barText[kind]}`
        : `Month ${periodIndex + 1}: ${barText[kind]}`,
  }));
  const marks = [...charges, ...switches].map(({ time, text, madeBy }) => ({
    time,
    what: text,
    ...(madeBy !== undefined && { madeBy }),
  }));
  return [...months, ...marks].toSorted((left, right) => left.time - right.time);
}
