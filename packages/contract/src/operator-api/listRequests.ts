// Lists the latest purchase API calls of a sandbox app, with hints.

import Type from 'typebox';
import { PackageName, sizes, text } from '../fields.ts';
import { LoggedRequest, loggedRequestsMax } from '../logged-request.ts';
import type { OperatorOperation } from './operator-operation.ts';
import { pageOf, pageQuery } from './paging.ts';

export const listRequests = {
  operationId: 'listRequests',
  method: 'GET',
  path: '/operator/v1/apps/:packageName/requests',
  summary: 'List the latest calls of the app, newest first, with hints',
  description: `The latest ${loggedRequestsMax} purchase API calls that can be attributed to the app. A call that another server handled may be listed up to half a second later.`,
  roles: ['read', 'support', 'admin'],
  sandboxOnly: true,
  inDeveloperApi: 'sandbox',
  pathParameters: { packageName: PackageName },
  query: Type.Object(
    {
      operationId: Type.Optional(text(1, sizes.operationId, 'The operationId of the call.')),
      status: Type.Optional(
        Type.Integer({ minimum: 100, maximum: 599, description: 'The HTTP status of the response.' }),
      ),
      ...pageQuery,
    },
    { additionalProperties: false },
  ),
  responses: { 200: pageOf('requests', LoggedRequest) },
  errors: ['forbidden', 'invalidRequest', 'notFound'],
} as const satisfies OperatorOperation;
