// Shapes of fields that no API shows, for lines of an import: what the columns can hold, and no more than that.

import { eventOrderDigitsMax } from '@opentill/contract/events.ts';
import { text } from '@opentill/contract/fields.ts';
import Type from 'typebox';

/** Names that a server gives: the longest is an idempotency key. */
const nameLengthMax = 500;
const integerMax = 2_147_483_647;

export const name = text(0, nameLengthMax, 'A name that a server gave.');

/** A place in an order, or an instant that may not have come yet (0). */
export const order = Type.Integer({ minimum: 0, maximum: 10 ** eventOrderDigitsMax - 1 });

export const smallNumber = Type.Integer({ minimum: 0, maximum: integerMax });

/** SHA-256 in hexadecimal. */
export const hash = Type.String({ pattern: '^[0-9a-f]{64}$' });
