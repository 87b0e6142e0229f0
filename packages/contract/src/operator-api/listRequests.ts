// Lists the last calls that an app made to the purchase API, with hints, in the sandbox.

import Type from 'typebox';
import { PackageName } from '../fields.ts';
import { LoggedRequest, loggedRequestsMax } from '../logged-request.ts';
import type { OperatorOperation } from './operator-operation.ts';
import { pageOf, pageQuery } from './paging.ts';

export const listRequests = {
  operationId: 'listRequests',
  method: 'GET',
  path: '/operator/v1/apps/:packageName/requests',
  summary: 'List the last calls of the app, newest first, with hints',
  description: `The last ${loggedRequestsMax} calls of the purchase API that are known to be the app's. A call answered by another server may appear up to half a second later.`,
  roles: ['support', 'admin'],
  sandboxOnly: true,
  inSandboxApi: true,
  pathParameters: { packageName: PackageName },
  query: Type.Object(pageQuery, { additionalProperties: false }),
  responses: { 200: pageOf('requests', LoggedRequest) },
  errors: ['forbidden', 'invalidRequest', 'notFound'],
} as const satisfies OperatorOperation;
