// Ids of events, and positions in the order of an app's events, given as an id or a number (docs/decisions/events.md).

import { createHash } from 'node:crypto';
import { EventId, eventCheckLength, eventOrderDigitsMax } from '@opentill/contract/events.ts';
import type { Environment } from '../identifiers.ts';

/** Identifies an event; none of it changes while the event is retained. */
export interface EventOrigin {
  readonly environment: Environment;
  readonly packageName: string;
  readonly order: number;
  /** The request or job that made the change, which differs if an order is reused after a backup was restored. */
  readonly requestId: string;
}

/** The order in plain text, and a digest of the whole origin, which needs no key because nothing in it is secret. */
export function eventIdOf({ environment, packageName, order, requestId }: EventOrigin): string {
  const digest = createHash('sha256').update(`${environment}\0${packageName}\0${order}\0${requestId}`);
  return `evt_${order}_${digest.digest('base64url').slice(0, eventCheckLength)}`;
}

/** Reading continues after this order; if there is an id, the event at this order must have it. */
export interface EventPosition {
  readonly order: number;
  readonly id?: string;
}

const { pattern } = EventId as unknown as { readonly pattern: string };
const idForm = new RegExp(pattern);
const orderForm = new RegExp(`^(?:0|[1-9][0-9]{0,${eventOrderDigitsMax - 1}})$`);

/** Returns undefined for a text that is neither an event id nor an order. */
export function parseEventPosition(text: string): EventPosition | undefined {
  if (orderForm.test(text)) return { order: Number(text) };
  const order = parseEventId(text);
  return order === undefined ? undefined : { order, id: text };
}

/** Returns the order that an event id contains; undefined for another text. */
export function parseEventId(text: string): number | undefined {
  return idForm.test(text) ? Number(text.split('_', 2)[1]) : undefined;
}
