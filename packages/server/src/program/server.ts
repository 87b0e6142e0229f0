// Assembles a server, in the order in which its parts need each other: store, clock, renewals, jobs, handlers, listeners.

import packageJson from '../../package.json' with { type: 'json' };
import type { Config } from '../config/config.ts';
import { isLoopback } from '../config/settings.ts';
import { tokenAuthentication } from '../http/authentication.ts';
import { trustProxies } from '../http/listener/client.ts';
import { addressOf, connectionsOfEach, listen } from '../http/listener/listening.ts';
import {
  type CertificateTimes,
  certificateTimes,
  readTls,
  type TlsContents,
  useTls,
} from '../http/listener/tls-files.ts';
import { createOperatorListener } from '../http/routes/operator-listener.ts';
import { createPublicListener } from '../http/routes/public-listener.ts';
import { callTesting } from '../http/sandbox/call-testing.ts';
import { csvFiles } from '../operations/csv-writing/csv-file.ts';
import { developerHandlers } from '../operations/developer-handler.ts';
import type { OperatorHandler } from '../operations/operator-handler.ts';
import { AttentionReader } from '../operations/status/attention-reader.ts';
import { overdueReader } from '../operations/status/overdue-renewals.ts';
import { getAccessToken } from '../operations/tokens/getAccessToken.ts';
import { createMetrics } from '../runtime/metrics.ts';
import { pause } from '../runtime/pause.ts';
import { requestIds } from '../runtime/randomness.ts';
import { unlessUnavailable } from '../store/connection/database-failure.ts';
import { openStore } from '../store/store.ts';
import { builtFiles } from './console.ts';
import { createHandlers, type Handlers } from './handlers.ts';
import { comparedClocks, createJobs, createRenewals } from './server-jobs.ts';
import type { ServerParts, ServerProcess } from './server-parts.ts';
import { operatorAccess, secretsOf } from './server-secrets.ts';
import { logStoredState } from './stored-state.ts';

export interface RunningServer extends AsyncDisposable {
  readonly publicUrl: string;
  readonly operatorUrl: string;
  /** For operator operations that the process itself runs. */
  readonly operatorHandlers: readonly OperatorHandler[];
  /** Replaces the certificate, for new connections. */
  useTls(tls: TlsContents): void;
  /** Ends the jobs and is not ready, but serves for `ms`, or until it is stopped, for proxies that have not noticed yet. */
  drain(ms: number): Promise<void>;
  /** Rejects new requests, finishes those in flight, and closes the database connections. */
  stop(): Promise<void>;
}

/** @throws StartProblem for a problem that the operator has to fix. */
export async function startServer(config: Config, given: ServerProcess): Promise<RunningServer> {
  const { randomness, log, testing, beforeListening } = given;
  await using started = new AsyncDisposableStack();
  const stopping = new AbortController();
  const metrics = createMetrics();
  const secrets = secretsOf(config, given);

  // 1. The store: its database with the latest schema, and the clock that all its servers share.
  const { environment, databasePoolSize: poolSize } = config;
  const store = await openStore({ ...given, environment, poolSize, patience: testing?.patience }, started);
  const { database } = store;
  const parts: ServerParts = {
    ...{ config, given, store, metrics, secrets },
    access: operatorAccess(config, secrets, store),
    nextRequestId: requestIds(randomness),
    stopping: stopping.signal,
  };
  const clockJobs = await comparedClocks(parts);

  // 2. Renewals, and the jobs, which are started at the end.
  const { settling, renewals } = createRenewals(parts);
  await logStoredState(store, { log, config });
  const jobs = [...clockJobs, ...(config.runsJobs ? createJobs(parts, renewals) : [])];
  const stopJobs = async (): Promise<void> => void (await Promise.all(jobs.map((job) => job.stop())));
  started.defer(stopJobs);

  // 3. The handlers of all operations.
  let tls = given.tls ?? (await readTls(config.tlsFiles));
  const attention = watchedAttention(parts, () => tls && certificateTimes(tls));
  const handlers = createHandlers({ ...parts, settling, renewals, attention });

  // 4. The listeners.
  let isLeaving = false;
  const isReady = async () => !isLeaving && (await database.isReachable());
  const listeners = await createListeners(parts, handlers, { isReady, tls });
  for (const listener of [listeners.operator, listeners.public]) started.defer(() => listener.close());

  // 5. Everything is there: it listens, and its jobs run.
  await beforeListening?.({ handlers: handlers.operators, store });
  const urls = await openListeners(listeners, config);
  for (const job of jobs) job.start();
  const running = started.move();
  let stopped: Promise<void> | undefined;
  const stop = (): Promise<void> => {
    isLeaving = true;
    stopping.abort();
    stopped ??= running.disposeAsync();
    return stopped;
  };
  return {
    ...urls,
    operatorHandlers: handlers.operators,
    useTls(next) {
      useTls(Object.values(listeners), next);
      tls = next;
    },
    async drain(ms) {
      isLeaving = true;
      log.info({ ms }, 'draining: not ready, but calls are served');
      await Promise.all([stopJobs(), pause(ms, { signal: stopping.signal }).catch(() => undefined)]);
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

/** What needs attention, which the metrics show as well. */
function watchedAttention(
  { store, metrics }: ServerParts,
  certificate: () => CertificateTimes | undefined,
): AttentionReader {
  const attention = new AttentionReader(store, () => certificate()?.dueAt);
  metrics.setAttentionReader(unlessUnavailable(() => attention.counts(store.clock.expected())));
  metrics.setOverdueReader(unlessUnavailable(overdueReader(store)));
  metrics.setCertificateReader(() => certificate()?.expiresAt);
  return attention;
}

const operatorHostsMissing =
  'the operator listener is outside loopback: set OPENTILL_OPERATOR_HOSTS to the names under which it is called; other names than IP addresses get 421';

async function createListeners(
  { config, given, store, secrets, access, metrics, nextRequestId, stopping }: ServerParts,
  handlers: Handlers,
  { isReady, tls }: { readonly isReady: () => Promise<boolean>; readonly tls: TlsContents | undefined },
) {
  const { clock, sandbox } = store;
  const { log, logCall, testing } = given;
  if (config.operatorHosts === undefined && !isLoopback(config.operatorAddress.host))
    log.warn(operatorHostsMissing);
  const tokenSettings = { keys: secrets.tokenKeys, scope: store };
  const tokens = getAccessToken({ store, tokenSettings });
  const common = {
    openCsv: csvFiles(store, config),
    ...{ log, logCall, clock, metrics, nextRequestId, files: given.built ?? builtFiles },
    testing: sandbox && callTesting(store, { tokenSettings, tokens, sandbox, stopping }),
    tls,
    isTrustedProxy: config.trustedProxies && trustProxies(config.trustedProxies),
    connectionsMax: testing?.connectionsMax ?? connectionsOfEach(log),
    arrivalMs: testing?.arrivalMs,
    patience: testing?.patience,
  };
  const publicListener = await createPublicListener({
    ...common,
    handlers: handlers.purchases,
    authentication: tokenAuthentication(tokenSettings, store),
    requiresContentType: config.requiresContentType,
    callsPerSecondMax: config.callsPerSecondMax,
    tokens,
    eventsHandlers: handlers.events,
    environment: config.environment,
    developerHandlers: developerHandlers(handlers.operators, {
      environment: config.environment,
      access: config.developerAccess,
    }),
  });
  const operatorListener = await createOperatorListener({
    ...common,
    ...access,
    handlers: handlers.operators,
    environment: config.environment,
    hosts: config.operatorHosts ?? [],
    onWrongKey: metrics.countWrongOperatorKey,
    ...{ isReady, randomness: given.randomness, version: packageJson.version },
  });
  return { public: publicListener, operator: operatorListener };
}

/** The operator listener is the last one, because it reports that the server is ready. */
async function openListeners(
  { public: publicListener, operator }: Awaited<ReturnType<typeof createListeners>>,
  { publicAddress, operatorAddress, tlsFiles }: Config,
): Promise<Pick<RunningServer, 'publicUrl' | 'operatorUrl'>> {
  await listen(publicListener, publicAddress, 'OPENTILL_PORT');
  await listen(operator, operatorAddress, 'OPENTILL_OPERATOR_PORT');
  const protocol = tlsFiles === undefined ? 'http' : 'https';
  return {
    publicUrl: `${protocol}://${addressOf(publicListener)}`,
    operatorUrl: `${protocol}://${addressOf(operator)}`,
  };
}
