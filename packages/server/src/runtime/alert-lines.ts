// The lines of the log on which operators alert: their codes stay, whatever becomes of their words (docs/operating.md).

import type { Log } from './log.ts';

interface AlertLine {
  readonly level: 'info' | 'warn' | 'error' | 'fatal';
  readonly message: string;
}

export const alertLines = {
  callFailed: { level: 'error', message: 'a call failed' },
  databaseUnavailable: {
    level: 'error',
    message: 'calls of an app get 503, because the database is unavailable; logged once a minute',
  },
  overloaded: {
    level: 'warn',
    message: 'calls of an app get 503, because they are too many or take too long; logged once a minute',
  },
  uncaughtError: { level: 'fatal', message: 'uncaught error; shutting down' },
  databaseEnded: {
    level: 'fatal',
    message: 'the bundled PostgreSQL has ended; shutting down, the next start recovers',
  },
  notReloaded: { level: 'error', message: 'the TLS files are not reloaded: the previous ones stay in use' },
  clockHeld: { level: 'error', message: 'time-driven work is held' },
  clockOff: {
    level: 'warn',
    message:
      "the clock of this machine is over a minute away from the database's: synchronize the clocks (NTP)",
  },
  chargeUnresolved: {
    level: 'warn',
    message: 'a charge of unknown outcome is not retried any more: settle it by hand',
  },
  refundDue: {
    level: 'error',
    message: 'a charge that was settled as declined has been paid, and its period cannot be given: refund it',
  },
  subscriptionsStuck: { level: 'error', message: 'subscriptions stay due' },
  renewalsBroken: {
    level: 'error',
    message: 'an assertion about the renewals of an app is broken: the next poll queues the app again',
  },
  gatewaySilent: {
    level: 'error',
    message: 'the latest tries of a charge have had no answer of the payment gateway for 10 minutes',
  },
  gatewayMissing: {
    level: 'error',
    message: 'subscriptions are due, and this server has no payment gateway: it charges nothing',
  },
  action: { level: 'info', message: 'an action of the audit trail' },
} as const satisfies Record<string, AlertLine>;

/** `detail` follows the message, after a colon. */
export function logAlert(log: Log, code: keyof typeof alertLines, fields: object, detail?: string): void {
  const { level, message } = alertLines[code];
  log[level]({ code, ...fields }, detail === undefined ? message : `${message}: ${detail}`);
}
