// The action of a command that opens the database itself.

import type { NewAction } from '../../store/audit/actions.ts';

/** Who runs a command, and when. */
export interface CommandAuthor {
  /** `command:<user name>`. */
  readonly madeBy: string;
  /** Real time, ms. */
  readonly time: number;
}

export function commandAction(name: string, { madeBy, time }: CommandAuthor, detail: string): NewAction {
  return {
    time,
    operationId: name,
    madeBy,
    clientAddress: null,
    requestId: null,
    subject: null,
    detail,
    reasonCode: null,
    note: null,
    ticket: null,
  };
}
