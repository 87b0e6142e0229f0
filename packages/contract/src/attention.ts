// What needs attention, as listAttention returns it.

import Type, { type Static } from 'typebox';
import {
  type AttentionKind,
  type AttentionKindFacts,
  attentionKindNames,
  attentionKinds,
} from './attention-kinds.ts';
import { describedNameOf, PackageName, PurchaseId, Timestamp } from './fields.ts';

/** Rows of one response: more than a page shows at once. */
export const attentionRowsMax = 20;

/** Counts stop here, so that counting never takes long. */
export const attentionCountMax = 1_000;

const Kind = describedNameOf(
  Object.fromEntries(
    attentionKindNames.map((kind) => {
      const { meaning, counts }: AttentionKindFacts = attentionKinds[kind];
      return [kind, counts === undefined ? meaning : `${meaning} count: ${counts}.`];
    }),
  ) as Record<AttentionKind, string>,
);

const page = <const Page extends string>(name: Page) => ({ page: Type.Literal(name) });

const AttentionTarget = Type.Union(
  [
    Type.Object({
      ...page('deliveries'),
      packageName: PackageName,
      state: Type.Union([Type.Literal('waiting'), Type.Literal('dead')]),
    }),
    Type.Object({
      ...page('subscriptions'),
      packageName: PackageName,
      state: Type.Literal('paymentOutstanding'),
    }),
    Type.Object({ ...page('subscription'), packageName: PackageName, firstPurchaseId: PurchaseId }),
    Type.Object({ ...page('renewals'), packageName: Type.Optional(PackageName) }),
  ],
  {
    description:
      'What to read next. Each page corresponds to an operation: listDeliveries, listSubscriptions, getSubscription and getRenewals.',
  },
);
export type AttentionTarget = Static<typeof AttentionTarget>;

const AttentionRow = Type.Object({
  kind: Kind,
  packageName: Type.Optional(PackageName),
  count: Type.Integer({
    minimum: 1,
    maximum: attentionCountMax,
    description: `${attentionCountMax} means this many or more.`,
  }),
  since: Type.Optional(
    Type.Integer({
      ...Timestamp,
      description: 'Since when, in real time, in ms; absent if it is unknown.',
    }),
  ),
  reason: Type.Optional(
    Type.String({
      description: 'Why the latest try of one of the charges got no answer of the payment gateway.',
      examples: ['status 503'],
    }),
  ),
  target: Type.Optional(AttentionTarget),
});
export type AttentionRow = Static<typeof AttentionRow>;

export const Attention = Type.Object(
  {
    checkedAt: Timestamp,
    rows: Type.Array(AttentionRow, {
      maxItems: attentionRowsMax,
      description: `Worst first: in the order of kinds, then by count. At most ${attentionRowsMax}.`,
    }),
    more: Type.Integer({ minimum: 0, description: 'The number of further rows.' }),
  },
  { $id: 'Attention', description: 'What needs attention in the whole store.' },
);
export type Attention = Static<typeof Attention>;
