// The request to rotate a client secret or a webhook secret.

import Type from 'typebox';
import { keepPreviousSeconds } from './limits.ts';

export const SecretRotation = Type.Object(
  {
    keepPreviousForSeconds: Type.Optional(
      Type.Integer({
        minimum: keepPreviousSeconds.min,
        maximum: keepPreviousSeconds.max,
        default: keepPreviousSeconds.default,
        description: 'How long the previous secret stays valid; 0 ends it and all earlier ones immediately.',
      }),
    ),
    force: Type.Optional(
      Type.Boolean({
        description: 'Rotate even while a previous secret is still valid, which ends that one immediately.',
      }),
    ),
  },
  { additionalProperties: false },
);
