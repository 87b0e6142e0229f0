// The id of an event, and the place in the order of an app's events that an id or a plain number names
// (docs/decisions/events.md).

import { createHash } from 'node:crypto';
import { EventId, eventCheckLength, eventOrderDigitsMax } from '@opentill/contract/events.ts';
import type { Environment } from '../identifiers.ts';

/** What no two events have in common: all of it stays as it is while the event is kept. */
export interface EventOrigin {
  readonly environment: Environment;
  readonly packageName: string;
  readonly order: number;
  /** Of the call or job that made the change: after a backup was restored, the same order has another. */
  readonly requestId: string;
}

/** The order, readable, and a check over all of the origin: a digest, since there is nothing secret in it. */
export function eventIdOf({ environment, packageName, order, requestId }: EventOrigin): string {
  const digest = createHash('sha256').update(`${environment}\0${packageName}\0${order}\0${requestId}`);
  return `evt_${order}_${digest.digest('base64url').slice(0, eventCheckLength)}`;
}

/** Where to read on: after this order, and with an id only if it is the id of the event that stands there. */
export interface EventPlace {
  readonly order: number;
  readonly id?: string;
}

const { pattern } = EventId as unknown as { readonly pattern: string };
const idForm = new RegExp(pattern);
const orderForm = new RegExp(`^(?:0|[1-9][0-9]{0,${eventOrderDigitsMax - 1}})$`);

/** Undefined for a text that is neither an event's id nor an order. */
export function parseEventPlace(text: string): EventPlace | undefined {
  if (orderForm.test(text)) return { order: Number(text) };
  if (!idForm.test(text)) return undefined;
  return { order: Number(text.split('_', 2)[1]), id: text };
}
