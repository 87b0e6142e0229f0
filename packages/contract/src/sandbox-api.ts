// Derives the sandbox API from the operator API: the same operations for the app of the access token, without an
// operator key and a package name.

import { operatorOperations } from './operations.ts';
import type { OperatorOperation } from './operator-api/operator-operation.ts';

type DeclaredOperation = (typeof operatorOperations)[number];
type ExposedOperation = Extract<DeclaredOperation, { readonly inSandboxApi: true }>;

const operatorPath = '/operator/v1/apps/:packageName/';
const sandboxPath = '/sandbox/v1/';

type SandboxPath<Path extends string> = Path extends `${typeof operatorPath}${infer Rest}`
  ? `${typeof sandboxPath}${Rest}`
  : never;

type OperatorOnly = 'roles' | 'sandboxOnly' | 'inSandboxApi';

/** Any operation of the sandbox API. */
export type SandboxOperation = Omit<OperatorOperation, OperatorOnly>;

/** The operation of the sandbox API that is derived from `Operation`, with its exact types. */
type SandboxForm<Operation extends ExposedOperation> = Omit<
  Operation,
  OperatorOnly | 'path' | 'pathParameters' | 'errors'
> & {
  readonly path: SandboxPath<Operation['path']>;
  readonly pathParameters: Omit<Operation['pathParameters'], 'packageName'>;
  readonly errors: SandboxOperation['errors'];
};

/** Removes the package name and the roles, because the access token identifies the app. */
function sandboxForm(declared: OperatorOperation): SandboxOperation {
  const { roles: _roles, sandboxOnly: _only, inSandboxApi: _exposed, ...operation } = declared;
  const { packageName: _packageName, ...pathParameters } = declared.pathParameters;
  return {
    ...operation,
    path: declared.path.replace(operatorPath, sandboxPath),
    pathParameters,
    errors: declared.errors.filter((error) => error !== 'forbidden'),
  };
}

const declaredOperations: readonly OperatorOperation[] = operatorOperations;

/** The operations of the sandbox API by operationId. */
export const sandboxApi = Object.fromEntries(
  declaredOperations
    .filter(({ inSandboxApi }) => inSandboxApi)
    .map((operation) => [operation.operationId, sandboxForm(operation)]),
) as unknown as {
  readonly [Operation in ExposedOperation as Operation['operationId']]: SandboxForm<Operation>;
};

/** The operations of the sandbox API in the order of the operator API. */
export const sandboxOperations = Object.values(sandboxApi);
