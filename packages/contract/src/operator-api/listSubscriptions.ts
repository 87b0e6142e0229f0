// Lists the subscriptions of one app or of all apps.

import Type from 'typebox';
import { BuyerId, instant, PackageName, ProductId } from '../fields.ts';
import { ListedSubscription, SubscriptionState } from '../operator-resources.ts';
import type { OperatorOperation } from './operator-operation.ts';
import { pageOf, pageQuery, WholeId } from './paging.ts';

export const listSubscriptions = {
  operationId: 'listSubscriptions',
  method: 'GET',
  path: '/operator/v1/subscriptions',
  summary: 'List the subscriptions of one app or of all apps',
  description:
    'The latest startTime comes first. With nextPaymentFrom, nextPaymentBefore, awaitsConsent or the state paymentOutstanding, and without buyerId and id, the earliest expiryTime comes first. In the sandbox, they and state need packageName, because each app has a clock of its own.',
  roles: ['read', 'support', 'admin'],
  asCsv: true,
  inDeveloperApi: 'both',
  acrossApps: true,
  pathParameters: {},
  query: Type.Object(
    {
      packageName: Type.Optional(PackageName),
      state: Type.Optional(SubscriptionState),
      productId: Type.Optional(ProductId),
      buyerId: Type.Optional(BuyerId),
      id: WholeId,
      awaitsConsent: Type.Optional(
        Type.Literal(true, { description: 'Only those that await the consent of the customer.' }),
      ),
      nextPaymentFrom: Type.Optional(instant('Earliest nextPaymentTime (inclusive), in ms.')),
      nextPaymentBefore: Type.Optional(instant('Latest nextPaymentTime (exclusive), in ms.')),
      ...pageQuery,
    },
    { additionalProperties: false },
  ),
  responses: { 200: pageOf('subscriptions', ListedSubscription) },
  errors: ['forbidden', 'invalidRequest'],
} as const satisfies OperatorOperation;
