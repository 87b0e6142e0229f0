// Assembles a server, in the order in which its parts need each other: store, clock, renewals, jobs, handlers, listeners.

import type { ClientConfig } from 'pg';
import type { Config } from '../config/config.ts';
import { isLoopback } from '../config/settings.ts';
import { dayMs } from '../domain/time.ts';
import { tokenAuthentication } from '../http/authentication.ts';
import type { ConsoleFiles } from '../http/console/console-routes.ts';
import { trustProxies } from '../http/listener/client.ts';
import {
  addressOf,
  connectionsOfEach,
  listen,
  readTls,
  type TlsContents,
} from '../http/listener/listening.ts';
import { createOperatorListener } from '../http/routes/operator-listener.ts';
import { createPublicListener } from '../http/routes/public-listener.ts';
import { callTesting } from '../http/sandbox/call-testing.ts';
import { CleaningJob } from '../jobs/cleaning-job.ts';
import { ClockJob } from '../jobs/clock-job.ts';
import { StatisticsJob } from '../jobs/statistics-job.ts';
import { RenewalJob } from '../jobs/subscriptions/renewal-job.ts';
import { WebhookJob } from '../jobs/webhooks/webhook-job.ts';
import { webhookSender } from '../jobs/webhooks/webhook-sender.ts';
import { csvFiles } from '../operations/csv-file.ts';
import { type OperatorHandler, sandboxHandlers } from '../operations/operator-handler.ts';
import { AttentionReader } from '../operations/status/attention-reader.ts';
import {
  type RenewalOptions,
  renewalOptions,
  type SettlingOptions,
  settlingOptions,
} from '../operations/subscriptions/renewal/renewal-options.ts';
import { getAccessToken } from '../operations/tokens/getAccessToken.ts';
import type { Clock } from '../runtime/clock.ts';
import type { RenewalTesting } from '../runtime/crash-points.ts';
import type { Log } from '../runtime/log.ts';
import { createMetrics, type Metrics } from '../runtime/metrics.ts';
import { type Randomness, requestIds } from '../runtime/randomness.ts';
import { DatabaseUnavailable } from '../store/connection/database-failure.ts';
import { openStore, type Store } from '../store/store.ts';
import { findPause, wholeStore } from '../store/subscriptions/renewal-pauses.ts';
import { findOldestUndelivered } from '../store/webhooks/webhook-delay.ts';
import { consoleRoutes } from './console.ts';
import { createHandlers } from './handlers.ts';
import {
  type LiveSecrets,
  operatorAccess,
  reloadSecrets,
  type ServerKeys,
  secretsOf,
} from './server-secrets.ts';

/** What the process gives a server in addition to its settings. */
interface ServerProcess extends ServerKeys {
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
  /** Of each listener. */
  readonly connectionsMax?: number | undefined;
  /** The time within which a request must arrive. */
  readonly arrivalMs?: number | undefined;
  /** Multiplies the time limits of calls. */
  readonly patience?: number | undefined;
}

export interface RunningServer extends AsyncDisposable {
  readonly publicUrl: string;
  readonly operatorUrl: string;
  /** For operator operations that the process itself runs. */
  readonly operatorHandlers: readonly OperatorHandler[];
  /** Replaces secrets and certificates. */
  reload(config: Config, secrets: { readonly keys: ServerKeys; readonly tls: TlsContents | undefined }): void;
  /** Rejects new requests, finishes those in flight, and closes the database connections. */
  stop(): Promise<void>;
}

/** @throws StartProblem for a problem that the operator has to fix. */
export async function startServer(config: Config, given: ServerProcess): Promise<RunningServer> {
  const { randomness, log, testing, beforeListening } = given;
  await using started = new AsyncDisposableStack();
  const stopping = new AbortController();
  const metrics = createMetrics();
  const live = { secrets: secretsOf(config, given) };

  // 1. The store: its database with the latest schema, and the clock that all its servers share.
  const { environment, databasePoolSize: poolSize } = config;
  const store = await openStore({ ...given, environment, poolSize, patience: testing?.patience }, started);
  const { clock, database } = store;
  const clockJob = new ClockJob({
    ...{ database, clock, log },
    onCompared: ({ hold, isOff }) => metrics.setClockProblems({ held: hold?.reason, isOff }),
  });
  const clockJobs = testing?.comparesClocks === false ? [] : [clockJob];
  for (const job of clockJobs) await job.runOnce();

  // 2. Renewals, and the jobs, which are started at the end.
  const { settling, renewals } = createRenewals({ config, given, store, live, metrics });
  await logPause(store, log);
  const nextRequestId = requestIds(randomness);
  const jobs = [
    ...clockJobs,
    ...(config.runsJobs ? createJobs({ config, given, store, metrics, renewals, nextRequestId }) : []),
  ];
  started.defer(async () => void (await Promise.all(jobs.map((job) => job.stop()))));

  // 3. The handlers of all operations.
  const access = operatorAccess(config, live, store);
  const attention = new AttentionReader(store);
  metrics.setAttentionReader(() => attention.counts(clock.expected()));
  const handlers = createHandlers({
    ...{ config, store, randomness, settling, renewals, metrics, attention, stopping: stopping.signal },
    ...access,
    continuationKeySecrets: () => live.secrets.continuationKeySecrets,
  });

  // 4. The listeners.
  const parts = { config, given, store, live, metrics, nextRequestId, handlers, access };
  const listeners = await createListeners({ ...parts, stopping: stopping.signal });
  for (const listener of [listeners.operator, listeners.public]) started.defer(() => listener.close());

  // 5. Everything is there: it listens, and its jobs run.
  await beforeListening?.({ handlers: handlers.operators, store });
  await listen(listeners.operator, config.operatorAddress, 'OPENTILL_OPERATOR_PORT');
  await listen(listeners.public, config.publicAddress, 'OPENTILL_PORT');
  for (const job of jobs) job.start();
  const running = started.move();
  let stopped: Promise<void> | undefined;
  const stop = (): Promise<void> => {
    stopping.abort();
    stopped ??= running.disposeAsync();
    return stopped;
  };
  const protocol = config.tlsFiles === undefined ? 'http' : 'https';
  return {
    publicUrl: `${protocol}://${addressOf(listeners.public)}`,
    operatorUrl: `${protocol}://${addressOf(listeners.operator)}`,
    operatorHandlers: handlers.operators,
    reload: (fresh, secrets) => reloadSecrets({ database, live, listeners }, fresh, secrets),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

interface RenewalParts {
  readonly config: Config;
  readonly given: ServerProcess;
  readonly store: Store;
  readonly live: LiveSecrets;
  readonly metrics: Metrics;
}

/** `renewals` is undefined in production without a payment gateway. */
function createRenewals({ config, given, store, live, metrics }: RenewalParts) {
  const { randomness, log, testing } = given;
  const { database, clock, environment, installationId } = store;
  const { paymentGateway, renewalGraceDays } = config;
  const settling: SettlingOptions = settlingOptions({
    ...{ database, clock, environment, installationId, randomness, log },
    graceMs: renewalGraceDays * dayMs,
    testing: testing?.crashPoints && { crashPoints: testing.crashPoints },
    onConflict: metrics.countConflict,
  });
  const renewals = renewalOptions(settling, {
    database,
    httpGateway: paymentGateway && {
      url: paymentGateway.url,
      secret: () => live.secrets.paymentGateway?.secret ?? paymentGateway.secret,
    },
    readSandboxState: store.sandbox?.readState,
    onCharged: metrics.observeCharge,
  });
  return { settling, renewals };
}

/** A pause outlasts the servers that it was made for. */
async function logPause({ database }: Store, log: Log): Promise<void> {
  const { pausedAt = null, pausedBy, reason } = (await findPause(database, wholeStore)) ?? {};
  if (pausedAt === null) return;
  log.warn(
    { pausedAt, pausedBy, reason },
    'renewals are paused: nothing is charged until an operator resumes them',
  );
}

interface JobParts {
  readonly config: Config;
  readonly given: ServerProcess;
  readonly store: Store;
  readonly metrics: Metrics;
  readonly renewals: RenewalOptions | undefined;
  readonly nextRequestId: () => string;
}

function createJobs({ config, given, store, metrics, renewals, nextRequestId }: JobParts) {
  const { randomness, log, testing } = given;
  const { database, clock, environment } = store;
  const { retentionDays, timeZone, webhookRules: rules } = config;
  metrics.setUndeliveredReader(async () => {
    try {
      return (await findOldestUndelivered(database.storeWide, clock.now())) / 1000;
    } catch (error) {
      if (error instanceof DatabaseUnavailable) return undefined;
      throw error;
    }
  });
  const onOldestOverdue = (seconds: number) => metrics.setOldestOverdueRenewal(seconds);
  return [
    ...(renewals ? [new RenewalJob({ ...renewals, database, nextRequestId, onOldestOverdue })] : []),
    new WebhookJob(database, {
      ...{ clock, environment, randomness, log, rules },
      sender: webhookSender(rules, { timeoutMs: testing?.webhookTimeoutMs }),
      onAttempt: (end) => metrics.observeDelivery(end),
    }),
    new CleaningJob({ database, clock, log, retentionDays }),
    new StatisticsJob({ database, log, timeZone }),
  ];
}

const operatorHostsMissing =
  'the operator listener is outside loopback: set OPENTILL_OPERATOR_HOSTS to the names under which it is called; other names than IP addresses get 421';

interface ListenerParts {
  readonly config: Config;
  readonly given: ServerProcess;
  readonly store: Store;
  readonly live: LiveSecrets;
  readonly metrics: Metrics;
  readonly nextRequestId: () => string;
  readonly handlers: ReturnType<typeof createHandlers>;
  readonly access: ReturnType<typeof operatorAccess>;
  readonly stopping: AbortSignal;
}

async function createListeners(parts: ListenerParts) {
  const { config, given, store, live, metrics, nextRequestId, handlers, access, stopping } = parts;
  const { database, clock, sandbox } = store;
  const { log, testing } = given;
  if (config.operatorHosts === undefined && !isLoopback(config.operatorAddress.host))
    log.warn(operatorHostsMissing);
  const tokenSettings = {
    keys: () => live.secrets.tokenKeys,
    scope: store,
    lifetimeSeconds: config.tokenLifetimeSeconds,
  };
  const common = {
    ...{ log, clock, metrics, nextRequestId },
    readSandboxState: sandbox?.readState,
    tls: given.tls ?? (await readTls(config.tlsFiles)),
    isTrustedProxy: config.trustedProxies && trustProxies(config.trustedProxies),
    connectionsMax: testing?.connectionsMax ?? connectionsOfEach(log),
    arrivalMs: testing?.arrivalMs,
    patience: testing?.patience,
  };
  const publicListener = await createPublicListener({
    ...common,
    handlers: handlers.purchases,
    authentication: tokenAuthentication(tokenSettings, store),
    testing: sandbox && callTesting(store, { tokenSettings, requestLog: sandbox.requestLog, stopping }),
    requiresContentType: config.requiresContentType,
    callsPerSecondMax: config.callsPerSecondMax,
    tokens: getAccessToken({ store, tokenSettings }),
    eventsHandlers: handlers.events,
    sandboxHandlers: sandbox === undefined ? [] : sandboxHandlers(handlers.operators),
  });
  const operatorListener = await createOperatorListener({
    ...common,
    ...access,
    handlers: handlers.operators,
    openCsv: csvFiles(store, config),
    environment: config.environment,
    hosts: config.operatorHosts ?? [],
    onWrongKey: metrics.countWrongOperatorKey,
    console: consoleRoutes(config, given),
    isReady: async () => !stopping.aborted && (await database.isReachable()),
  });
  return { public: publicListener, operator: operatorListener };
}
