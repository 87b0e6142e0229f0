// The parts of a server, from which its jobs, handlers and listeners are created.

import type { ClientConfig } from 'pg';
import type { Config } from '../config/config.ts';
import type { TlsContents } from '../http/listener/tls-files.ts';
import type { BuiltFiles } from '../http/pages/built-files.ts';
import type { OperatorHandler } from '../operations/operator-handler.ts';
import type { Clock } from '../runtime/clock.ts';
import type { RenewalTesting } from '../runtime/crash-points.ts';
import type { Log, LogCall } from '../runtime/log.ts';
import type { Metrics } from '../runtime/metrics.ts';
import type { Randomness } from '../runtime/randomness.ts';
import type { Store } from '../store/store.ts';
import type { OperatorAccess, Secrets, ServerKeys } from './server-secrets.ts';

/** The parts that a process gives a server in addition to its settings. */
export interface ServerProcess extends ServerKeys {
  readonly connection: ClientConfig;
  /** By default the files of the settings are read. */
  readonly tls?: TlsContents | undefined;
  /** The clock of this machine. */
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly log: Log;
  readonly logCall: LogCall;
  /** The console and the reference; by default as they were built last. */
  readonly built?: BuiltFiles | undefined;
  /** Runs before the listeners open, for example to create the demo app. */
  readonly beforeListening?: (server: {
    readonly handlers: readonly OperatorHandler[];
    readonly store: Store;
  }) => Promise<void>;
  readonly testing?: ServerTesting;
}

/** Options for tests only. */
export interface ServerTesting extends RenewalTesting {
  /** The limit of each listener. */
  readonly connectionsMax?: number | undefined;
  /** The time within which a request must arrive. */
  readonly arrivalMs?: number | undefined;
  /** Multiplies the time limits of calls. */
  readonly patience?: number | undefined;
  /** False: this server's clock is not compared with the database's, which has no mark. */
  readonly comparesClocks?: boolean | undefined;
  readonly webhookTimeoutMs?: number | undefined;
}

export interface ServerParts {
  readonly config: Config;
  readonly given: ServerProcess;
  readonly store: Store;
  readonly metrics: Metrics;
  readonly secrets: Secrets;
  readonly access: OperatorAccess;
  readonly nextRequestId: () => string;
  readonly stopping: AbortSignal;
}
