// The developer API in the shape of the operator API, so that a command calls either: for the app of the credentials.

import { type AppOptions, DeveloperClient, OpenTillError } from '@opentill/client/developer';
import type { OperatorClient } from '@opentill/client/operator';
import { developerApi } from '@opentill/contract/developer-api.ts';
import { errors } from '@opentill/contract/errors.ts';
import { operatorOperations } from '@opentill/contract/operations.ts';
import { UsageProblem } from './command-context.ts';

type Values = Readonly<Record<string, unknown>>;
type Method = (values: Values, ending: object) => Promise<unknown>;

const notOffered =
  'the developer API of this store does not have it: the store has not opened it, opened it for reading alone, or is not a sandbox';

/** @throws TypeError for an invalid host or credentials */
export function developerMethods(options: AppOptions): OperatorClient {
  const developer = new DeveloperClient(options);
  const methods = developer as unknown as Readonly<Record<string, Method>>;
  let ownName: Promise<string> | undefined;
  const call = async (operation: string, { packageName, ...values }: Values, ending: object) => {
    ownName ??=
      packageName === undefined ? undefined : developer.getApp({}, ending).then((app) => app.packageName);
    const own = await ownName;
    if (packageName !== undefined && packageName !== own) {
      throw new UsageProblem(`Expected ${own}, which is the app of CLIENT_ID, got ${packageName}.`);
    }
    return methods[operation]?.(values, ending);
  };
  const entries = operatorOperations.map(({ operationId }): [string, Method] => [
    operationId,
    async (values, ending) => {
      if (!Object.hasOwn(developerApi, operationId)) throw new OpenTillError(operationId, notOffered);
      try {
        return await call(operationId, values, ending);
      } catch (error) {
        if (!isNotOffered(error)) throw error;
        const { httpStatus, requestId } = error;
        throw new OpenTillError(operationId, notOffered, { httpStatus, requestId });
      }
    },
  ]);
  return Object.fromEntries(entries) as unknown as OperatorClient;
}

/** The path or its method does not exist, unlike a purchase that is not found. */
function isNotOffered(error: unknown): error is OpenTillError {
  if (!(error instanceof OpenTillError)) return false;
  const { httpStatus, code } = error;
  const isUnknown = httpStatus === errors.unknownPath.status && code === errors.unknownPath.code;
  return isUnknown || httpStatus === errors.methodNotAllowed.status;
}
