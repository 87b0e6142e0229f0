// Creates a new client secret for an app and keeps the previous one valid for a while.

import { PackageName } from '../fields.ts';
import { ClientCredentials } from '../operator-resources.ts';
import { SecretRotation } from '../secret-rotation.ts';
import type { OperatorOperation } from './operator-operation.ts';

export const rotateClientSecret = {
  operationId: 'rotateClientSecret',
  method: 'POST',
  path: '/operator/v1/apps/:packageName/client-secret',
  summary: 'Create a new client secret',
  description:
    'The previous secret stays valid for keepPreviousForSeconds. While one is valid, another rotation gets 409 unless force is true or keepPreviousForSeconds is 0. Only the newest secret changes credentials in the developer API.',
  roles: ['admin'],
  inDeveloperApi: 'both',
  needsClientSecret: true,
  pathParameters: { packageName: PackageName },
  body: SecretRotation,
  bodyOptional: true,
  responses: { 201: ClientCredentials },
  errors: ['forbidden', 'invalidRequest', 'unsupportedMediaType', 'notFound', 'conflict'],
} as const satisfies OperatorOperation;
