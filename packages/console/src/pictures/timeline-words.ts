// What the picture of a subscription says in words: a mark, and the whole picture.

import { useInstantText } from '../parts/instant.tsx';
import type { BarKind, TimelineBar, TimelineData, TimelineMark } from './timeline-data.ts';

export const barText: Readonly<Record<BarKind, string>> = {
  paid: 'paid',
  voided: 'voided',
  outstanding: 'outstanding',
  next: 'next',
};

/** Returns a function for the text of the marks at one place, or of a bar. */
export function useMarkText(): (marks: readonly TimelineMark[], bar?: TimelineBar) => string {
  const instantText = useInstantText();
  return (marks, bar) => {
    if (bar !== undefined) {
      const name = bar.periodIndex === undefined ? 'Not paid yet' : `Month ${bar.periodIndex + 1}`;
      const late = bar.paidLate === undefined ? '' : `, paid late on ${instantText(bar.paidLate)}`;
      return `${name}, ${barText[bar.kind]}: ${instantText(bar.start)} to ${instantText(bar.end)}${late}`;
    }
    return marks
      .map(
        ({ text, time, madeBy }) =>
          `${text}, ${instantText(time)}${madeBy === undefined ? '' : `, by ${madeBy}`}`,
      )
      .join('; ');
  };
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
