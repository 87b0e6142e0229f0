// Keeps the open deliveries of each subject in order: the earliest one waits for its attempt, the others are held behind it
// (docs/decisions/events.md).

import type { Queryable } from '../connection/database.ts';
import { NoRow, statement } from '../statements/statement.ts';

/** SQL for the order of the earliest open delivery of a subject: all others of the subject wait for it. */
const earliestOpen = (subject: string) => `(select min(e.event_order) from webhook_delivery e
    where e.package_name = $1 and e.subject = ${subject} and e.state in ('waiting', 'held')
      and e.delivered_time is null)`;

// Served by the primary key, and by webhook_delivery_open for the earliest delivery of each subject. The array keeps the
// planner from a join, which would visit all open deliveries of a subject once for each of them.
const holdBack = (condition: string) => `update webhook_delivery d set state = 'held', due_time = null
    where d.package_name = $1 and d.event_order = any(array(
      select w.event_order from webhook_delivery w
      where w.package_name = $1 and ${condition} and w.state = 'waiting' and w.delivered_time is null
        and w.event_order > ${earliestOpen('w.subject')}))`;
const holdBackWritten = statement({
  name: 'hold_back_written_deliveries',
  text: holdBack('w.event_order = any($2::bigint[])'),
  row: NoRow,
});
// Reads the open deliveries of the subjects. Served by webhook_delivery_open and the primary key.
const holdBackSubjects = statement({
  name: 'hold_back_deliveries_of_subjects',
  text: holdBack('w.subject = any($2::text[])'),
  row: NoRow,
});
// Served by webhook_delivery_open and the primary key.
const releaseEarliest = statement({
  name: 'release_deliveries',
  text: `update webhook_delivery d set state = 'waiting', due_time = $3
    where d.package_name = $1 and d.state = 'held' and d.event_order = any(array(
      select ${earliestOpen('s.subject')} from unnest($2::text[]) as s (subject)))`,
  row: NoRow,
});

interface Arrangement {
  readonly packageName: string;
  /** With duplicates; null for events that wait for no other. */
  readonly subjects: readonly (string | null)[];
  /** The app's instant, at which released deliveries become due. */
  readonly now: number;
  /** The orders of the deliveries that may have to wait for an earlier one, if known. */
  readonly written?: readonly number[];
}

/**
 * Restores the order of open deliveries after a change: the earliest of each subject is due, and the others wait for it.
 * The transaction has locked the webhook.
 */
export async function arrangeSubjects(
  transaction: Queryable,
  { packageName, subjects: given, now, written }: Arrangement,
): Promise<void> {
  const subjects = [...new Set(given)].filter((subject) => subject !== null);
  if (subjects.length === 0) return;
  if (written === undefined) await transaction.rows(holdBackSubjects, [packageName, subjects]);
  else await transaction.rows(holdBackWritten, [packageName, written]);
  await transaction.rows(releaseEarliest, [packageName, subjects, now]);
}
