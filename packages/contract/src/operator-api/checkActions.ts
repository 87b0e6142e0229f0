// Checks that no action of an app was changed, inserted or removed.

import Type from 'typebox';
import { ActionHash } from '../actions.ts';
import { PackageName } from '../fields.ts';
import type { OperatorOperation } from './operator-operation.ts';

export const checkActions = {
  operationId: 'checkActions',
  method: 'GET',
  path: '/operator/v1/actions/check',
  summary: 'Check the chain of actions of an app',
  description: 'Without packageName it checks the actions that belong to no app.',
  roles: ['admin'],
  takesLong: true,
  pathParameters: {},
  query: Type.Object({ packageName: Type.Optional(PackageName) }, { additionalProperties: false }),
  responses: {
    200: Type.Object(
      {
        count: Type.Integer({ description: 'The number of actions.' }),
        head: Type.Optional(ActionHash),
        firstBroken: Type.Optional(
          Type.Integer({
            description:
              'The order of the first action that is missing, changed or inserted; absent if the chain is intact.',
          }),
        ),
      },
      { $id: 'ActionCheck' },
    ),
  },
  errors: ['forbidden', 'invalidRequest'],
} as const satisfies OperatorOperation;
