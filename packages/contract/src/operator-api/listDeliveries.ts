// Lists the deliveries of an app's events to its webhook, newest first.

import Type from 'typebox';
import { PackageName, PurchaseId } from '../fields.ts';
import { Delivery, DeliveryState } from '../webhooks.ts';
import type { OperatorOperation } from './operator-operation.ts';
import { pageOf, pageQuery } from './paging.ts';

export const listDeliveries = {
  operationId: 'listDeliveries',
  method: 'GET',
  path: '/operator/v1/apps/:packageName/webhook/deliveries',
  summary: 'List the deliveries to the webhook of the app, newest first',
  description: 'An event is listed once its delivery was attempted or is held for an earlier event.',
  roles: ['read', 'support', 'admin'],
  asCsv: true,
  inDeveloperApi: 'both',
  pathParameters: { packageName: PackageName },
  query: Type.Object(
    { state: Type.Optional(DeliveryState), purchaseId: Type.Optional(PurchaseId), ...pageQuery },
    { additionalProperties: false },
  ),
  responses: { 200: pageOf('deliveries', Delivery) },
  errors: ['forbidden', 'invalidRequest', 'notFound'],
} as const satisfies OperatorOperation;
