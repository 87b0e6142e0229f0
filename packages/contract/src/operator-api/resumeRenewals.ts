// Ends the pause of the store or of one app.

import Type from 'typebox';
import { reasonFields } from '../actions.ts';
import { PackageName } from '../fields.ts';
import { Renewals } from '../renewals.ts';
import type { OperatorOperation } from './operator-operation.ts';

export const resumeRenewals = {
  operationId: 'resumeRenewals',
  method: 'POST',
  path: '/operator/v1/renewals/resume',
  summary: 'Resume the renewals of one app or of all apps',
  description:
    'Charges may begin again. The pause does not make a charge less late: a subscription whose unpaid period it is too late to charge expires instead; wouldCharge and wouldExpire of getRenewals count them beforehand. Resuming all apps does not end the pause of a single one; it confirms the time of the database if renewals are held because of it.',
  roles: ['admin'],
  acrossApps: true,
  pathParameters: {},
  body: Type.Object(
    { packageName: Type.Optional(PackageName), ...reasonFields },
    { additionalProperties: false },
  ),
  bodyOptional: true,
  responses: { 200: Renewals },
  errors: ['forbidden', 'invalidRequest', 'unsupportedMediaType', 'notFound'],
} as const satisfies OperatorOperation;
