// Settles an attempt to charge a period by hand.

import Type from 'typebox';
import { reasonFields } from '../actions.ts';
import { PackageName, PurchaseId, sizes, text } from '../fields.ts';
import { patternText } from '../patterns.ts';
import { Attempt, AttemptOutcome } from '../renewals.ts';
import type { OperatorOperation } from './operator-operation.ts';

const PathNumber = patternText('^[1-9][0-9]{0,8}$', 'a number from 1', {
  description: 'A number from 1.',
  examples: ['1'],
});

export const settleAttempt = {
  operationId: 'settleAttempt',
  method: 'POST',
  path: '/operator/v1/apps/:packageName/subscriptions/:firstPurchaseId/attempts/:periodIndex/:attempt/settle',
  summary: 'Settle an attempt whose outcome the payment gateway does not report',
  description:
    'Has the effect of the same response of the gateway: a paid period starts, or is recorded and voided if the subscription has ended or the period is over. Find out first what the payment provider did with the idempotency key. If the gateway then responds with paid, the period starts if it is unpaid, in time and not charged by another attempt; otherwise the money has to go back, until a call with the same outcome and acknowledgeRefund says that it did. 409 while the charge may be in flight. A repeated call changes nothing.',
  roles: ['admin'],
  inDeveloperApi: 'sandbox',
  pathParameters: {
    packageName: PackageName,
    firstPurchaseId: PurchaseId,
    periodIndex: PathNumber,
    attempt: PathNumber,
  },
  body: Type.Object(
    {
      outcome: AttemptOutcome,
      acknowledgeRefund: Type.Optional(
        Type.Boolean({
          description:
            'true: the money of a charge whose state is refundDue went back. The outcome is the one that the attempt has; without this, a refund stays due.',
        }),
      ),
      ...reasonFields,
      note: text(1, sizes.note, 'How the outcome is known.', 'The provider charged it.'),
    },
    { additionalProperties: false },
  ),
  responses: { 200: Attempt },
  errors: ['forbidden', 'invalidRequest', 'unsupportedMediaType', 'notFound', 'conflict'],
} as const satisfies OperatorOperation;
