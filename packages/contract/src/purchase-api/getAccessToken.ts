// Issues an OAuth access token (the specification, "getAccessToken" and "Authentication").

import Type from 'typebox';
import { ClientId } from '../fields.ts';
import { AccessTokenResponse } from '../resources.ts';
import type { PurchaseOperation } from './purchase-operation.ts';

export const AccessTokenRequest = Type.Object({
  client_id: ClientId,
  client_secret: Type.String({ examples: ['the secret of the app'] }),
  grant_type: Type.Literal('client_credentials'),
});

export const getAccessToken = {
  operationId: 'getAccessToken',
  method: 'POST',
  path: '/v2/oauth/token',
  summary: 'Issue an OAuth access token',
  pathParameters: {},
  response: AccessTokenResponse,
  errors: ['invalidTokenRequest'],
} as const satisfies PurchaseOperation;
