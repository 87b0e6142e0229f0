// What is asked for with a new secret, whichever secret it is.

import Type from 'typebox';
import { keepPreviousSeconds } from './limits.ts';

export const SecretRotation = Type.Object(
  {
    keepPreviousForSeconds: Type.Optional(
      Type.Integer({
        minimum: keepPreviousSeconds.min,
        maximum: keepPreviousSeconds.max,
        default: keepPreviousSeconds.default,
        description: '0: the secret before ends at once.',
      }),
    ),
  },
  { additionalProperties: false },
);
