// Converts the row of an app for the operator API.

import type { App as AppResponse } from '@opentill/contract/operator-resources.ts';
import type { App } from '../../store/apps/apps.ts';

export function appResponse({ packageName, name, clientId, disabledAt, createdAt }: App): AppResponse {
  return {
    packageName,
    ...(name !== null && { name }),
    clientId,
    disabled: disabledAt !== null,
    ...(disabledAt !== null && { disabledAt }),
    createdAt,
  };
}
