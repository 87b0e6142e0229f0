// Lists the latest purchase API calls of a sandbox app, with hints.

import Type from 'typebox';
import { PackageName } from '../fields.ts';
import { LoggedRequest, loggedRequestsMax, loggedUnverifiedMax } from '../logged-request.ts';
import type { OperatorOperation } from './operator-operation.ts';
import { pageOf, pageQuery } from './paging.ts';

export const listRequests = {
  operationId: 'listRequests',
  method: 'GET',
  path: '/operator/v1/apps/:packageName/requests',
  summary: 'List the latest calls of the app, newest first, with hints',
  description: `The latest ${loggedRequestsMax} purchase API calls that can be attributed to the app, and the latest ${loggedUnverifiedMax} token requests without its secret. A call that another server handled may be listed up to half a second later.`,
  roles: ['support', 'admin'],
  sandboxOnly: true,
  inSandboxApi: true,
  pathParameters: { packageName: PackageName },
  query: Type.Object(pageQuery, { additionalProperties: false }),
  responses: { 200: pageOf('requests', LoggedRequest) },
  errors: ['forbidden', 'invalidRequest', 'notFound'],
} as const satisfies OperatorOperation;
