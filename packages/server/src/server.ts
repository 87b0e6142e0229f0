// Puts a server together: database, operations, listeners, and the order in which they start and stop.

import type { ClientConfig } from 'pg';
import { adminKeyName, type Config } from './config.ts';
import { deriveContinuationKeySecret, type TokenKeys } from './domain/tokens/access-token.ts';
import { operatorAuthentication, tokenAuthentication } from './http/authentication.ts';
import { addressOf, listen, readTls } from './http/listener/listening.ts';
import { createOperatorListener } from './http/routes/operator-listener.ts';
import { createPublicListener } from './http/routes/public-listener.ts';
import { callTesting } from './http/sandbox/call-testing.ts';
import { serverJobs } from './jobs/server-jobs.ts';
import { EventWaiters } from './operations/events/event-waiters.ts';
import { listEventsForDevelopers } from './operations/events/listEvents.ts';
import { type OperatorHandler, sandboxHandlers } from './operations/operator-handler.ts';
import { operatorHandlers } from './operations/operator-handlers.ts';
import { purchaseHandlers } from './operations/purchase-handlers.ts';
import { type AdvanceApp, clockAdvancer } from './operations/sandbox/advance-clock.ts';
import { sandboxOnlyHandlers } from './operations/sandbox-only-handlers.ts';
import { advanceRenewals } from './operations/subscriptions/renewal/advance-renewals.ts';
import type { RenewalParts } from './operations/subscriptions/renewal/renewal-batch.ts';
import { renewalParts } from './operations/subscriptions/renewal/renewal-parts.ts';
import { getAccessToken } from './operations/tokens/getAccessToken.ts';
import type { Clock } from './runtime/clock.ts';
import { type CrashPoints, noCrashPoints } from './runtime/crash-points.ts';
import type { Log } from './runtime/log.ts';
import { createMetrics, type Metrics } from './runtime/metrics.ts';
import type { Randomness } from './runtime/randomness.ts';
import { requestIds } from './runtime/request-ids.ts';
import { appDirectory } from './store/apps/app-directory.ts';
import { packageNameFinder } from './store/apps/apps.ts';
import { Database } from './store/connection/database.ts';
import { installationIdBytes } from './store/connection/installation.ts';
import { numberOfMigration } from './store/connection/migrate.ts';
import { prepareDatabase } from './store/connection/prepared-database.ts';
import { findEventOrders } from './store/events/event-slices.ts';
import { RequestLog } from './store/sandbox/request-log.ts';
import { type SandboxState, sandboxStateReader } from './store/sandbox/sandbox-state.ts';
import { hasLiveSubscription } from './store/subscriptions/due-renewals.ts';

/** What a server is made of besides its settings. */
interface ServerParts {
  readonly connection: ClientConfig;
  readonly adminKey: string | undefined;
  readonly tokenKeys: TokenKeys;
  readonly clock: Clock;
  /** Whether the clock has to agree with that of the database's machine. */
  readonly requiresRightClock?: boolean;
  readonly randomness: Randomness;
  readonly log: Log;
  /** Whether this server does what falls due, beside answering calls. */
  readonly runsJobs: boolean;
  /** A test's own program ends the process at them. */
  readonly crashPoints?: CrashPoints;
  /** A test's own program gives a webhook less time. */
  readonly webhookTimeoutMs?: number;
}

export interface RunningServer extends AsyncDisposable {
  readonly publicUrl: string;
  readonly operatorUrl: string;
  /** The operations of the operator API, for what the process itself does through them. */
  readonly operatorHandlers: readonly OperatorHandler[];
  /** Answers what is in flight, takes nothing new, and lets go of the database. */
  stop(): Promise<void>;
}

/** @throws StartProblem for what the operator has to mend. */
export async function startServer(config: Config, parts: ServerParts): Promise<RunningServer> {
  await using started = new AsyncDisposableStack();
  const { randomness, log } = parts;
  const database = started.use(
    new Database({
      connection: parts.connection,
      poolSize: config.databasePoolSize,
      onIdleFailure: (error) => log.warn({ err: error }, 'an idle database connection broke'),
    }),
  );
  const { installation, migrations } = await prepareDatabase(database, parts.connection, {
    environment: config.environment,
    installationId: randomness.bytes(installationIdBytes),
    clock: parts.requiresRightClock ? parts.clock : undefined,
  });
  if (migrations.length > 0) log.info({ migrations }, migrationSummary(migrations));
  await database.detectCluster();
  const scope = { environment: config.environment, installationId: installation.installationId };
  const state = { isStopping: false };
  const stopping = new AbortController();
  const core = createCore(config, parts, { database, scope, state, stopping: stopping.signal });
  if (core.requestLog !== undefined) started.use(core.requestLog);
  if (core.renewals === undefined && (await hasLiveSubscription(database))) {
    log.warn('there are subscriptions, and this server has no payment gateway: it renews none of them');
  }
  const jobs = parts.runsJobs ? serverJobs({ ...core, ...parts, ...config }) : [];
  started.defer(async () => void (await Promise.all(jobs.map((job) => job.stop()))));
  const listeners = await createListeners(config, parts, core);
  for (const listener of listeners.all) started.defer(() => listener.close());
  await listen(listeners.operator, config.operatorAddress);
  await listen(listeners.public, config.publicAddress);
  for (const job of jobs) job.start();
  const running = started.move();
  let stopped: Promise<void> | undefined;
  const stop = (): Promise<void> => {
    state.isStopping = true;
    stopping.abort();
    stopped ??= running.disposeAsync();
    return stopped;
  };
  const protocol = config.tlsFiles === undefined ? 'http' : 'https';
  return {
    publicUrl: `${protocol}://${addressOf(listeners.public)}`,
    operatorUrl: `${protocol}://${addressOf(listeners.operator)}`,
    operatorHandlers: listeners.operatorHandlers,
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

/** One line, whether a first start created the schema or a later one updated it. */
function migrationSummary(migrations: readonly string[]): string {
  const [first = ''] = migrations;
  if (numberOfMigration(first) === 1) return 'Created the schema';
  return `Applied ${migrations.length} ${migrations.length === 1 ? 'migration' : 'migrations'}`;
}

interface Core {
  readonly database: Database;
  readonly scope: { readonly environment: Config['environment']; readonly installationId: Buffer };
  readonly state: { readonly isStopping: boolean };
  readonly stopping: AbortSignal;
  readonly metrics: Metrics;
  readonly nextRequestId: () => string;
  /** undefined in production. */
  readonly readSandboxState: ((packageName: string) => Promise<SandboxState>) | undefined;
  /** undefined in production. */
  readonly requestLog: RequestLog | undefined;
  /** undefined where nobody can be charged. */
  readonly renewals: RenewalParts | undefined;
}

function createCore(
  { environment, paymentGateway }: Config,
  { clock, randomness, log, crashPoints = noCrashPoints }: ServerParts,
  base: Pick<Core, 'database' | 'scope' | 'state' | 'stopping'>,
): Core {
  const { database } = base;
  const metrics = createMetrics();
  const readSandboxState = environment === 'sandbox' ? sandboxStateReader(database) : undefined;
  const common = { database, environment, clock, randomness, log, crashPoints };
  const onCharged = metrics.observeCharge;
  return {
    ...base,
    metrics,
    nextRequestId: requestIds(randomness),
    readSandboxState,
    requestLog: environment === 'sandbox' ? openRequestLog(database, { metrics, log }) : undefined,
    renewals: renewalParts({ ...common, httpGateway: paymentGateway, readSandboxState, onCharged }),
  };
}

function openRequestLog(database: Database, { metrics, log }: { metrics: Metrics; log: Log }): RequestLog {
  return new RequestLog({
    database,
    findPackageName: packageNameFinder(database),
    onDropped(count, error) {
      metrics.countUnlogged(count);
      if (error !== undefined)
        log.warn({ err: error, count }, 'calls could not be written to the request log');
    },
  });
}

async function createListeners(config: Config, parts: ServerParts, core: Core) {
  const { database, scope, state, readSandboxState, requestLog, metrics, nextRequestId, renewals } = core;
  const { clock, randomness, log } = parts;
  const directory = appDirectory(database, clock);
  const tokenSettings = { keys: parts.tokenKeys, scope, lifetimeSeconds: config.tokenLifetimeSeconds };
  const authentication = tokenAuthentication(tokenSettings, directory);
  const continuationKeySecrets = [
    parts.tokenKeys.signing,
    ...[...parts.tokenKeys.byId.values()].filter((key) => key !== parts.tokenKeys.signing),
  ].map(({ secret }) => deriveContinuationKeySecret(secret));
  const common = {
    log,
    clock,
    readSandboxState,
    metrics,
    nextRequestId,
    tls: await readTls(config.tlsFiles),
    isBehindProxy: config.isBehindTlsProxy,
  };
  const handlerParts = {
    database,
    randomness,
    environment: config.environment,
    timeZone: config.timeZone,
    webhookRules: config.webhookRules,
    allowsSubscriptions: renewals !== undefined,
    forgetApp: directory.forget,
    eventWaiters: eventWaitersOf(core),
  };
  const advance = advancerOf(config, parts, core);
  const { lifetimeSeconds } = tokenSettings;
  const sandbox = advance && requestLog && { ...handlerParts, clock, advance, requestLog, lifetimeSeconds };
  const handlers = [
    ...operatorHandlers(handlerParts),
    ...(sandbox === undefined ? [] : sandboxOnlyHandlers(sandbox)),
  ];
  const publicListener = await createPublicListener({
    ...common,
    handlers: purchaseHandlers(database, continuationKeySecrets),
    authentication,
    testing: requestLog && callTesting({ database, tokenSettings, requestLog, stopping: core.stopping }),
    requiresContentType: config.requiresContentType,
    callsPerSecondMax: config.callsPerSecondMax,
    issueToken: getAccessToken(database, tokenSettings),
    eventsHandlers: [listEventsForDevelopers(handlerParts)],
    sandboxHandlers: sandbox === undefined ? [] : sandboxHandlers(handlers),
  });
  const operatorListener = await createOperatorListener({
    ...common,
    handlers,
    findOperator: operatorAuthentication([
      ...(parts.adminKey === undefined
        ? []
        : [{ name: adminKeyName, role: 'admin', key: parts.adminKey } as const]),
      ...config.operatorKeys,
    ]),
    isReady: async () => !state.isStopping && (await database.isReachable()),
  });
  return {
    public: publicListener,
    operator: operatorListener,
    all: [operatorListener, publicListener],
    operatorHandlers: handlers,
  };
}

function eventWaitersOf({ database, stopping, metrics }: Core): EventWaiters {
  return new EventWaiters({
    findOrders: (packageNames) => findEventOrders(database, packageNames),
    stopping,
    onCount: (waiting) => metrics.setEventWaiters(waiting),
  });
}

/** Undefined in production, which has no clock to advance. */
function advancerOf(
  { timeZone }: Config,
  { clock, randomness }: ServerParts,
  { database, state, renewals, readSandboxState }: Core,
): AdvanceApp | undefined {
  if (renewals === undefined || readSandboxState === undefined) return undefined;
  return clockAdvancer({
    database,
    clock,
    randomness,
    timeZone,
    isStopping: () => state.isStopping,
    ...advanceRenewals({ renewals, readSandboxState }),
  });
}
