// Logs heads of the chains of actions: a copy of the log elsewhere shows what was changed in the database afterwards.

import { logAlert } from '../../runtime/alert-lines.ts';
import type { Log } from '../../runtime/log.ts';
import type { ChainHead } from '../../store/audit/actions.ts';

export function logHead(log: Log, { packageName, order, hash }: ChainHead): void {
  logAlert(log, 'auditHead', { app: packageName, order, head: hash.toString('hex') });
}
