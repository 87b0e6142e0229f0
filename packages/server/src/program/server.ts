// Assembles a server from database, store, operations, jobs and listeners, and starts and stops them in order.

import type { Config } from '../config/config.ts';
import { isLoopback } from '../config/settings.ts';
import { dayMs } from '../domain/time.ts';
import type { WebhookRules } from '../domain/webhooks/webhook-address.ts';
import { tokenAuthentication } from '../http/authentication.ts';
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
import { purchaseAnswers } from '../http/routes/purchase-routes.ts';
import { callTesting } from '../http/sandbox/call-testing.ts';
import { ClockJob } from '../jobs/clock-job.ts';
import { serverJobs } from '../jobs/server-jobs.ts';
import { EventWaiters } from '../operations/events/event-waiters.ts';
import type { HandlerOptions, SandboxHandlerOptions } from '../operations/handler-options.ts';
import { eventsHandlers, operatorHandlers, purchaseHandlers } from '../operations/handlers.ts';
import { type OperatorHandler, sandboxHandlers } from '../operations/operator-handler.ts';
import { AttentionReader } from '../operations/status/attention-reader.ts';
import {
  type RenewalOptions,
  renewalOptions,
  type SettlingOptions,
  settlingOptions,
} from '../operations/subscriptions/renewal/renewal-options.ts';
import { getAccessToken } from '../operations/tokens/getAccessToken.ts';
import { createMetrics, type Metrics } from '../runtime/metrics.ts';
import { requestIds } from '../runtime/randomness.ts';
import { findEventOrders } from '../store/events/event-slices.ts';
import type { Store } from '../store/store.ts';
import { findPause, wholeStore } from '../store/subscriptions/renewal-pauses.ts';
import { consoleRoutes } from './console.ts';
import { openStore } from './open-store.ts';
import { operatorAccess } from './operator-access.ts';
import type { ServerOptions } from './server-options.ts';
import { type LiveSecrets, reloadSecrets, type ServerKeys, secretsOf } from './server-secrets.ts';

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

/** What the jobs and the listeners of a server share. */
interface Core {
  readonly store: Store;
  readonly live: LiveSecrets;
  readonly metrics: Metrics;
  readonly nextRequestId: () => string;
  readonly settling: SettlingOptions;
  /** undefined without a payment gateway. */
  readonly renewals: RenewalOptions | undefined;
  readonly webhookRules: WebhookRules;
  /** Aborted when the server starts to shut down. */
  readonly stopping: AbortSignal;
}

const operatorHostsMissing =
  'the operator listener is outside loopback: set OPENTILL_OPERATOR_HOSTS to the names under which it is called; other names than IP addresses get 421';

/** @throws StartProblem for a problem that the operator has to fix. */
export async function startServer(config: Config, options: ServerOptions): Promise<RunningServer> {
  await using started = new AsyncDisposableStack();
  const metrics = createMetrics();
  const store = await openStore(config, options, started);
  const live = { secrets: secretsOf(config, options) };
  const settling = createSettling(config, options, { store, metrics });
  const { paymentGateway } = config;
  const clockJob = new ClockJob({
    ...store,
    log: options.log,
    onCompared: ({ hold, isOff }) => metrics.setClockProblems({ held: hold?.reason, isOff }),
  });
  const comparesClocks = options.testing?.comparesClocks !== false;
  if (comparesClocks) await clockJob.runOnce();
  const renewals = renewalOptions(settling, {
    database: store.database,
    httpGateway: paymentGateway && {
      url: paymentGateway.url,
      secret: () => live.secrets.paymentGateway?.secret ?? paymentGateway.secret,
    },
    readSandboxState: store.sandbox?.readState,
    onCharged: metrics.observeCharge,
  });
  await logPause(settling);
  const stopping = new AbortController();
  const nextRequestId = requestIds(options.randomness);
  const core = {
    ...{ store, live, metrics, nextRequestId, settling, renewals },
    webhookRules: config.webhookRules,
    stopping: stopping.signal,
  };
  if (config.operatorHosts === undefined && !isLoopback(config.operatorAddress.host)) {
    options.log.warn(operatorHostsMissing);
  }
  const jobs = [
    ...(comparesClocks ? [clockJob] : []),
    ...(config.runsJobs ? createJobs(config, options, core) : []),
  ];
  started.defer(async () => void (await Promise.all(jobs.map((job) => job.stop()))));
  const attention = new AttentionReader(store);
  metrics.setAttentionReader(() => attention.counts(store.clock.expected()));
  const listeners = await createListeners(config, options, { ...core, attention });
  for (const listener of [listeners.operator, listeners.public]) started.defer(() => listener.close());
  await options.beforeListening?.({ handlers: listeners.operatorHandlers, store });
  await listen(listeners.operator, config.operatorAddress);
  await listen(listeners.public, config.publicAddress);
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
    operatorHandlers: listeners.operatorHandlers,
    reload: (fresh, secrets) => reloadSecrets({ store, live, listeners }, fresh, secrets),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

function createSettling(
  { renewalGraceDays }: Config,
  { randomness, log, testing }: ServerOptions,
  { store, metrics }: Pick<Core, 'store' | 'metrics'>,
): SettlingOptions {
  const graceMs = renewalGraceDays * dayMs;
  const { database, clock, environment, installationId } = store;
  return settlingOptions({
    database,
    clock,
    environment,
    installationId,
    graceMs,
    randomness,
    log,
    testing: testing?.crashPoints && { crashPoints: testing.crashPoints },
    onConflict: metrics.countConflict,
  });
}

function createJobs(
  { retentionDays, timeZone }: Config,
  { randomness, log, testing }: ServerOptions,
  { store, metrics, nextRequestId, renewals, webhookRules }: Core,
) {
  return serverJobs({
    ...store,
    randomness,
    log,
    metrics,
    nextRequestId,
    renewals,
    webhookRules,
    webhookTimeoutMs: testing?.webhookTimeoutMs,
    retentionDays,
    timeZone,
  });
}

async function createListeners(
  config: Config,
  options: ServerOptions,
  core: Core & { readonly attention: AttentionReader },
) {
  const { store, live, metrics, nextRequestId, stopping, attention } = core;
  const { database, clock, sandbox } = store;
  const { log } = options;
  const tokenSettings = {
    keys: () => live.secrets.tokenKeys,
    scope: store,
    lifetimeSeconds: config.tokenLifetimeSeconds,
  };
  const access = operatorAccess(config, live, store);
  const handlerOptions = { ...createHandlerOptions(config, options, core), ...access, attention };
  const purchaseApi = purchaseHandlers(handlerOptions);
  const handlers = operatorHandlers(
    { ...handlerOptions, answerPurchaseCall: purchaseAnswers(purchaseApi) },
    createSandboxOptions(config, core),
  );
  const common = {
    log,
    clock,
    readSandboxState: sandbox?.readState,
    metrics,
    nextRequestId,
    tls: options.tls ?? (await readTls(config.tlsFiles)),
    isTrustedProxy: config.isBehindTlsProxy ? trustProxies(config.trustedProxies) : undefined,
    connectionsMax: connectionsOfEach(config.connectionsMax, log),
    arrivalMs: options.testing?.arrivalMs,
  };
  const publicListener = await createPublicListener({
    ...common,
    handlers: purchaseApi,
    authentication: tokenAuthentication(tokenSettings, store),
    testing: sandbox && callTesting(store, { tokenSettings, requestLog: sandbox.requestLog, stopping }),
    requiresContentType: config.requiresContentType,
    callsPerSecondMax: config.callsPerSecondMax,
    tokens: getAccessToken({ store, tokenSettings }),
    eventsHandlers: eventsHandlers(handlerOptions),
    sandboxHandlers: sandbox === undefined ? [] : sandboxHandlers(handlers),
  });
  const operatorListener = await createOperatorListener({
    ...common,
    handlers,
    hosts: config.operatorHosts ?? [],
    ...access,
    onWrongKey: metrics.countWrongOperatorKey,
    console: consoleRoutes(config, options),
    isReady: async () => !stopping.aborted && (await database.isReachable()),
  });
  return { public: publicListener, operator: operatorListener, operatorHandlers: handlers };
}

function createHandlerOptions(
  { timeZone, priceUnit, sandboxQuotas: quotas }: Config,
  { randomness }: ServerOptions,
  { store, live, metrics, settling, renewals, webhookRules, stopping }: Core,
): Omit<HandlerOptions, 'operatorKeys' | 'seals' | 'attention'> {
  const eventWaiters = new EventWaiters({
    findOrders: (packageNames) => findEventOrders(store.database.storeWide, packageNames),
    stopping,
    onCount: (waiting) => metrics.setEventWaiters(waiting),
  });
  return {
    store,
    randomness,
    timeZone,
    priceUnit,
    quotas,
    webhookRules,
    settling,
    allowsSubscriptions: renewals !== undefined,
    eventWaiters,
    continuationKeySecrets: () => live.secrets.continuationKeySecrets,
  };
}

/** Returns undefined in production. */
function createSandboxOptions(
  { tokenLifetimeSeconds }: Config,
  { store, renewals, stopping }: Core,
): SandboxHandlerOptions | undefined {
  if (renewals === undefined || store.sandbox === undefined) return undefined;
  const { readState: readSandboxState, requestLog } = store.sandbox;
  const isStopping = () => stopping.aborted;
  return { requestLog, renewals, readSandboxState, isStopping, tokenLifetimeSeconds };
}

/** A pause outlasts the servers that it was made for. */
async function logPause({ database, log }: SettlingOptions): Promise<void> {
  const { pausedAt = null, pausedBy, reason } = (await findPause(database, wholeStore)) ?? {};
  if (pausedAt === null) return;
  log.warn(
    { pausedAt, pausedBy, reason },
    'renewals are paused: nothing is charged until an operator resumes them',
  );
}
