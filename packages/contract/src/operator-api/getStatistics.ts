// Reads what was sold, renewed and voided by day, week or month, or in all by product or app.

import Type from 'typebox';
import { Currency, PackageName, ProductId } from '../fields.ts';
import { statisticDaysMax, statisticGroupsMax } from '../limits.ts';
import { Day, StatisticGroup, StatisticPeriod, Statistics } from '../statistics.ts';
import type { OperatorOperation } from './operator-operation.ts';

export const getStatistics = {
  operationId: 'getStatistics',
  method: 'GET',
  path: '/operator/v1/statistics',
  summary: 'Read what was sold, renewed and voided by time, product or app',
  description:
    'Counts and sums of all apps, or of one, in each currency; currencies are never added. A sale counts by its purchaseTime and a void by its voidedTime, so that sales less voids are what remains of this time. What is counted is a few seconds old: a report is complete once `countedUntil` is after the `calledAt` of its first call.',
  roles: ['read', 'support', 'admin'],
  asCsv: true,
  inDeveloperApi: 'both',
  acrossApps: true,
  pathParameters: {},
  query: Type.Object(
    {
      packageName: Type.Optional(PackageName),
      productId: Type.Optional(ProductId),
      currency: Type.Optional(Currency),
      from: Type.String({ ...Day, description: 'The first day.' }),
      to: Type.String({ ...Day, description: `The last day, at most ${statisticDaysMax} days in all.` }),
      by: Type.Optional(
        Type.Union([...StatisticPeriod.anyOf, ...StatisticGroup.anyOf], {
          default: 'day',
          description: `What a row covers. A week starts on Monday; the days before \`from\` and after \`to\` are not part of it. product and app: the whole range of each, of at most ${statisticGroupsMax} with the most sales; these rows have no \`active\`.`,
        }),
      ),
    },
    { additionalProperties: false },
  ),
  responses: { 200: Statistics },
  errors: ['forbidden', 'invalidRequest'],
} as const satisfies OperatorOperation;
