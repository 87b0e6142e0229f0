// What a server needs in addition to its settings.

import type { ClientConfig } from 'pg';
import type { ConsoleFiles } from '../http/console/console-routes.ts';
import type { TlsContents } from '../http/listener/listening.ts';
import type { OperatorHandler } from '../operations/operator-handler.ts';
import type { Clock } from '../runtime/clock.ts';
import type { RenewalTesting } from '../runtime/crash-points.ts';
import type { Log } from '../runtime/log.ts';
import type { Randomness } from '../runtime/randomness.ts';
import type { Store } from '../store/store.ts';
import type { ServerKeys } from './server-secrets.ts';

export interface ServerOptions extends ServerKeys {
  readonly connection: ClientConfig;
  /** By default the files of the settings are read. */
  readonly tls?: TlsContents | undefined;
  /** The clock of this machine. */
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly log: Log;
  /** undefined: no console. */
  readonly console?: ConsoleFiles | undefined;
  /** Runs before the listeners open, for example to create the demo app. */
  readonly beforeListening?: (server: {
    readonly handlers: readonly OperatorHandler[];
    readonly store: Store;
  }) => Promise<void>;
  readonly testing?: ServerTesting;
}

/** What only tests set. */
export interface ServerTesting {
  /** False: this server's clock is not compared with the database's, which has no mark. */
  readonly comparesClocks?: boolean | undefined;
  /** May end the process at one of these points. */
  readonly crashPoints?: RenewalTesting['crashPoints'];
  readonly webhookTimeoutMs?: number | undefined;
  /** The time within which a request must arrive. */
  readonly arrivalMs?: number | undefined;
}
