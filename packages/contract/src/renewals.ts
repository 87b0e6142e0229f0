// The resources of renewals: whether they are paused, how many are waiting, and the attempts to charge a period.

import Type, { type Static } from 'typebox';
import { PackageName, PurchaseId, sizes, Timestamp, text } from './fields.ts';

/** Counts of renewals stop here, so that reading them never takes long. */
export const renewalCountMax = 10_000;

/** Unresolved attempts that getRenewals lists. */
export const unresolvedShownMax = 100;

const count = (description: string) =>
  Type.Integer({
    minimum: 0,
    maximum: renewalCountMax,
    description: `${description} ${renewalCountMax} means at least so many.`,
  });

export const PauseReason = text(1, sizes.note, 'Why renewals are paused.');

const Pause = Type.Object({
  scope: Type.Union([Type.Literal('store'), Type.Literal('app'), Type.Literal('disabled')], {
    description: 'store: all apps. app: this app. disabled: this app is disabled (updateApp).',
  }),
  since: Timestamp,
  madeBy: Type.Optional(Type.String({ description: 'operator:<key name> or job:renewals.' })),
  reason: Type.Optional(PauseReason),
});

export const AttemptOutcome = Type.Union([
  Type.Literal('paid'),
  Type.Literal('declined'),
  Type.Literal('declinedFinal'),
]);
export type AttemptOutcome = Static<typeof AttemptOutcome>;

const attemptFields = {
  packageName: PackageName,
  firstPurchaseId: PurchaseId,
  periodIndex: Type.Integer({ minimum: 1, description: 'The period to pay: 1 is the one after the first.' }),
  attempt: Type.Integer({ minimum: 1, description: 'The number of the attempt for this period.' }),
  state: Type.Union(
    [Type.Literal('open'), Type.Literal('unresolved'), Type.Literal('settled'), Type.Literal('refundDue')],
    {
      description:
        'open: retried with its key until the gateway gives a clear response. unresolved: its outcome is unknown, and it was not clear in time; it is not retried until settleAttempt. settled: it has an outcome. refundDue: it was settled as declined, the gateway then responded with paid, and its period could not be given; the money has to go back, and settleAttempt with acknowledgeRefund ends this.',
    },
  ),
  idempotencyKey: Type.String({ description: 'The key that the payment gateway received.' }),
  dueTime: Timestamp,
  begunTime: Timestamp,
  tries: Type.Integer({ minimum: 1, description: 'How often it was sent to the gateway.' }),
  wasPending: Type.Boolean({ description: 'Whether the gateway ever responded with pending.' }),
  nextTryTime: Type.Optional(Timestamp),
  outcome: Type.Optional(AttemptOutcome),
  settledTime: Type.Optional(Timestamp),
  purchaseId: Type.Optional(PurchaseId),
  refundDueTime: Type.Optional(Timestamp),
};

export const Attempt = Type.Object(attemptFields, {
  $id: 'Attempt',
  description: 'An attempt to charge a period of a subscription.',
});
export type Attempt = Static<typeof Attempt>;

/** Whether renewals wait, and why. */
export const renewalStateFields = {
  paused: Type.Boolean({ description: 'Whether no charge begins: there is at least one pause.' }),
  pauses: Type.Array(Pause, { maxItems: 3, description: 'What pauses the renewals.' }),
  hold: Type.Optional(
    Type.Object(
      {
        reason: Type.Union([Type.Literal('ahead'), Type.Literal('behind')], {
          description:
            'ahead, behind: the time of the database is more than 3 days past the last one stored, or more than a minute before it; resumeRenewals without packageName confirms it.',
        }),
        message: Type.String({
          description: 'What is wrong and what to do, for a person.',
          examples: [
            "The database's time is 2026-03-24T12:00:00.000Z, and it was 2026-03-15T12:00:00.000Z when last stored: check the clock, then resume renewals.",
          ],
        }),
      },
      { description: "Why the database's clock, which may be wrong, holds all renewals." },
    ),
  ),
};

export const Renewals = Type.Object(
  {
    packageName: Type.Optional(PackageName),
    ...renewalStateFields,
    due: count('Subscriptions with a payment or an expiry that is due.'),
    openAttempts: count(
      'Attempts to charge a period that are retried until the gateway gives a clear response.',
    ),
    unresolvedAttempts: count('Attempts of unknown outcome that are not retried until settleAttempt.'),
    unresolved: Type.Array(Attempt, {
      maxItems: unresolvedShownMax,
      description: `The unresolved attempts that were due first, at most ${unresolvedShownMax}.`,
    }),
    wouldCharge: count('Due subscriptions whose period would be charged if renewals were resumed now.'),
    wouldExpire: count(
      'Due subscriptions that would expire if renewals were resumed now, because it is too late to charge their unpaid period.',
    ),
  },
  { $id: 'Renewals', description: 'The renewals of an app, or of all apps if there is no packageName.' },
);
export type Renewals = Static<typeof Renewals>;
