// The shape in which each operation of the sandbox API is declared: that of the operator API for the app
// of the access token, which stands in the place of the role and of the package name in the path.

import type { OperatorOperation } from '../operator-api/operator-operation.ts';

export type SandboxOperation = Omit<OperatorOperation, 'roles'>;
