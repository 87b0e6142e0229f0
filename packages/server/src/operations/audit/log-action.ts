// Logs each action, so that a copy of the audit trail lies outside the database (docs/decisions/audit.md).

import { logAlert } from '../../runtime/alert-lines.ts';
import type { Log } from '../../runtime/log.ts';
import type { RecordedAction } from './action-recorder.ts';

export function logAction(
  log: Log,
  { packageName, madeBy, clientAddress, time: _, ...rest }: RecordedAction,
): void {
  const fields = { app: packageName, by: madeBy, address: clientAddress, ...rest };
  const filled = Object.entries(fields).filter(([, value]) => value !== null && value !== '');
  logAlert(log, 'action', Object.fromEntries(filled));
}
