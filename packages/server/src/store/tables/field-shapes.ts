// Shapes of fields that no API has, for the lines of an import: the values that fit the columns.

import { eventOrderDigitsMax } from '@opentill/contract/events.ts';
import { text } from '@opentill/contract/fields.ts';
import { hexadecimalHash } from '@opentill/contract/patterns.ts';
import Type from 'typebox';

/** The longest name that a server assigns is an idempotency key. */
const nameLengthMax = 500;
const integerMax = 2_147_483_647;

export const name = text(0, nameLengthMax, 'A name that a server assigned.');

/** A position in an order, or an instant; 0 for none yet. */
export const order = Type.Integer({ minimum: 0, maximum: 10 ** eventOrderDigitsMax - 1 });

export const smallNumber = Type.Integer({ minimum: 0, maximum: integerMax });

export const hash = hexadecimalHash();
