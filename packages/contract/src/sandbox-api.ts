// Derives the sandbox API from the operator API: the same operations for the app of the access token, without an
// operator key and a package name.

import Type, { type TObject, type TProperties } from 'typebox';
import { operatorOperations } from './operations.ts';
import type { OperatorOperation } from './operator-api/operator-operation.ts';

type DeclaredOperation = (typeof operatorOperations)[number];
type ExposedOperation = Extract<DeclaredOperation, { readonly inSandboxApi: true }>;

type SandboxPath<Path extends string> = Path extends `/operator/v1/apps/:packageName/${infer Rest}`
  ? `/sandbox/v1/${Rest}`
  : Path extends `/operator/v1/${infer Rest}`
    ? `/sandbox/v1/${Rest}`
    : never;

type SandboxQuery<Operation> = Operation extends {
  readonly query: TObject<infer Parameters extends TProperties>;
}
  ? { readonly query: TObject<Omit<Parameters, 'packageName'>> }
  : unknown;

type OperatorOnly = 'roles' | 'sandboxOnly' | 'inSandboxApi' | 'acrossApps' | 'asCsv';

/** Any operation of the sandbox API. */
export type SandboxOperation = Omit<OperatorOperation, OperatorOnly>;

/** The operation of the sandbox API that is derived from `Operation`, with its exact types. */
type SandboxForm<Operation extends ExposedOperation> = Omit<
  Operation,
  OperatorOnly | 'path' | 'pathParameters' | 'query' | 'errors'
> &
  SandboxQuery<Operation> & {
    readonly path: SandboxPath<Operation['path']>;
    readonly pathParameters: Omit<Operation['pathParameters'], 'packageName'>;
    readonly errors: SandboxOperation['errors'];
  };

/** Removes the package name and the roles, because the access token identifies the app. */
function sandboxForm(declared: OperatorOperation): SandboxOperation {
  const {
    roles: _roles,
    sandboxOnly: _only,
    inSandboxApi: _exposed,
    acrossApps: _all,
    asCsv: _asCsv,
    ...operation
  } = declared;
  const { packageName: _packageName, ...pathParameters } = declared.pathParameters;
  return {
    ...operation,
    path: declared.path.replace(/^\/operator\/v1\/(?:apps\/:packageName\/)?/, '/sandbox/v1/'),
    pathParameters,
    ...(declared.query && { query: withoutPackageName(declared.query) }),
    errors: declared.errors.filter((error) => error !== 'forbidden'),
  };
}

function withoutPackageName(query: TObject): TObject {
  const { packageName: _packageName, ...parameters } = query.properties;
  return Type.Object(parameters, { additionalProperties: false });
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
