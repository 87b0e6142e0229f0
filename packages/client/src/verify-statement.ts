// Adds up the events of a statement, so that a developer need not trust its sums (docs/statements.md).

import type { Event, EventPage, Statement } from './contract-types.ts';
import { OpenTillError } from './opentill-error.ts';

/** `difference` names the first sum that differs, or an event that the feed leaves out. Without its events, a statement is `notProvable`. */
export type StatementProof =
  | { readonly outcome: 'proved' | 'notProvable' }
  | { readonly outcome: 'different'; readonly difference: string };

interface EventReader {
  listEvents(parameters: { after: string }): Promise<EventPage>;
}

type Counts = Record<string, number>;

/** Compares the totals of a statement with those of its events, which it reads from the feed of the app. */
export async function verifyStatement(client: EventReader, statement: Statement): Promise<StatementProof> {
  const { firstOrder, lastOrder, totals, isIncomplete } = statement;
  if (isIncomplete) return { outcome: 'notProvable' };
  const sums = new Map<string, Counts>();
  let after = String(firstOrder - 1);
  for (let order = firstOrder - 1; order < lastOrder; ) {
    const page = await client.listEvents({ after }).catch((error: unknown) => {
      if (error instanceof OpenTillError && error.httpStatus === 410) return undefined;
      throw error;
    });
    if (page === undefined || page.events.length === 0) return { outcome: 'notProvable' };
    for (const event of page.events) {
      order += 1;
      if (event.order !== order)
        return { outcome: 'different', difference: `the feed has no event ${order}` };
      if (order <= lastOrder) book(sums, event);
    }
    after = page.cursor;
  }
  const stated = new Map(totals.map(({ currency, ...counts }): [string, Counts] => [currency, counts]));
  for (const currency of new Set([...sums.keys(), ...stated.keys()])) {
    const [expected, got] = [sums.get(currency) ?? {}, stated.get(currency) ?? {}];
    const name = Object.keys({ ...expected, ...got }).find((key) => (expected[key] ?? 0) !== (got[key] ?? 0));
    if (name === undefined) continue;
    const difference = `${currency} ${name}: expected ${expected[name] ?? 0}, got ${got[name] ?? 0}`;
    return { outcome: 'different', difference };
  }
  return { outcome: 'proved' };
}

type BookedEvent = Extract<Event, { readonly price: number }>;

function book(sums: Map<string, Counts>, event: Event): void {
  if (!('price' in event)) return;
  const name = nameOf(event);
  const amount = event.type === 'purchase.voided' ? -event.refundAmount : event.price;
  const counts = sums.get(event.currency) ?? {};
  const add = (key: string, value: number): void => {
    counts[key] = (counts[key] ?? 0) + value;
  };
  add(name, 1);
  if (name !== 'trials') add(`${name}Amount`, Math.abs(amount));
  add('netAmount', amount);
  sums.set(event.currency, counts);
}

/** A period that was paid after its subscription had ended is a renewal as well. */
function nameOf({ type, price, firstPurchaseId }: BookedEvent): 'sales' | 'trials' | 'renewals' | 'refunds' {
  if (type === 'purchase.voided') return 'refunds';
  if (type === 'subscription.started') return price === 0 ? 'trials' : 'sales';
  return firstPurchaseId === undefined ? 'sales' : 'renewals';
}
