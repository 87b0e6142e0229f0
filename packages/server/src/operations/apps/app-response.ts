// Converts the row of an app for the operator API.

import { App as AppResponse } from '@opentill/contract/operator-resources.ts';
import type { App } from '../../store/apps/apps.ts';
import { shown } from '../shown.ts';

export function appResponse(app: App): AppResponse {
  return shown(AppResponse, { ...app, disabled: app.disabledAt !== null });
}
