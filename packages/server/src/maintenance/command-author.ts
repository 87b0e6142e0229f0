// The author of what a command writes to the database itself.

import { userInfo } from 'node:os';
import type { CommandAuthor } from '../operations/audit/action-recorder.ts';
import { systemClock } from '../runtime/clock.ts';

export function commandAuthor(): CommandAuthor {
  return { madeBy: `command:${userName()}`, time: systemClock.now() };
}

/** A container may run as a user without a name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? 'unknown');
  }
}
