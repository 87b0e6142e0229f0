// The parent: keeps worker processes running, which share its ports (docs/decisions/scaling.md).

import cluster, { type Worker } from 'node:cluster';
import type { ClientConfig } from 'pg';
import type { Config } from '../config/config.ts';
import type { ConsoleFiles } from '../http/console/console-files.ts';
import { type LoadedSecrets, loadAgain } from '../program/server-secrets.ts';
import { type Environment, logNotReloaded, type Service, type Started } from '../program/service.ts';
import { logAlert } from '../runtime/alert-lines.ts';
import type { Log } from '../runtime/log.ts';
import { pause } from '../runtime/pause.ts';
import { StartProblem } from '../runtime/start-problem.ts';
import { type Channel, openChannel, type ParentCalls, type WorkerCalls } from './channel.ts';
import { workerMark } from './worker-mark.ts';
import { WorkerMetrics } from './worker-metrics.ts';

/** A worker that ends within this time, in ms, counts as one that could not start. */
const stableAfterMs = 10_000;

/** After this many of them in a row, and while no other worker serves requests, the server ends. */
const failuresMax = 5;

/** The pause before the next start, in ms: it doubles with each failure. */
const restartPauseMs = { min: 100, max: 10_000 } as const;

/** Workers that have not ended after this time, in ms, are killed: a little less than a shutdown may take. */
const stopWithinMs = 9_000;

interface ParentOptions {
  /** Names the files that a reload reads. */
  readonly env: Environment;
  readonly secrets: LoadedSecrets;
  readonly connection: ClientConfig;
  readonly console: ConsoleFiles;
  readonly log: Log;
}

interface WorkerProcess {
  readonly worker: Worker;
  readonly channel: Channel<WorkerCalls>;
  /** Resolves to the exit code or the signal. */
  readonly ended: Promise<string>;
  isServing: boolean;
}

/** Runs the server in `config.workers` processes, which end with `owner`. */
export async function runWorkers(
  config: Config,
  options: ParentOptions,
  owner: AsyncDisposableStack,
): Promise<Service> {
  const workers = owner.use(new Workers(options));
  const started = await workers.start(config.workers);
  const { env, log } = options;
  const reload = async () => {
    try {
      await workers.reload(await loadAgain(env, config));
    } catch (error) {
      logNotReloaded(log, error);
    }
  };
  return { started, reload, failed: workers.failed };
}

class Workers implements AsyncDisposable {
  readonly #options: ParentOptions;
  readonly #processes = new Set<WorkerProcess>();
  readonly #metrics = new WorkerMetrics(() => this.#serving());
  readonly #stopping = new AbortController();
  readonly #first = Promise.withResolvers<Started>();
  readonly #failed = Promise.withResolvers<StartProblem>();
  #hasStarted = false;
  #secrets: LoadedSecrets;

  constructor(options: ParentOptions) {
    this.#options = options;
    this.#secrets = options.secrets;
    // Unlike JSON it has NaN, which a metric may be.
    cluster.setupPrimary({ serialization: 'advanced' });
  }

  /** Resolves when no worker can be kept running. */
  get failed(): Promise<StartProblem> {
    return this.#failed.promise;
  }

  /**
   * Resolves when the first worker serves requests. It migrates the schema, so the others start after it.
   * @throws StartProblem
   */
  async start(count: number): Promise<Started> {
    void this.#keepOne();
    const started = await Promise.race([
      this.#first.promise,
      this.failed.then((problem) => Promise.reject(problem)),
    ]);
    for (let others = count - 1; others > 0; others -= 1) void this.#keepOne();
    return started;
  }

  /** Also for workers that start later. Each worker logs whether it has reloaded. */
  async reload(secrets: LoadedSecrets): Promise<void> {
    this.#secrets = secrets;
    const calls = [...this.#processes].map(({ channel }) => channel.call('reload', secrets));
    await Promise.allSettled(calls);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort();
    const processes = [...this.#processes];
    for (const { channel } of processes) channel.call('stop').catch(() => undefined);
    const ended = new AbortController();
    const kill = () => {
      for (const { worker } of this.#processes) worker.process.kill('SIGKILL');
    };
    pause(stopWithinMs, { signal: ended.signal }).then(kill, () => undefined);
    await Promise.all(processes.map((process) => process.ended));
    ended.abort();
  }

  /** Starts a worker, and another one whenever it has ended. */
  async #keepOne(): Promise<void> {
    const { signal } = this.#stopping;
    let failures = 0;
    while (!signal.aborted) {
      const forkedAt = performance.now();
      const reason = await this.#runOne();
      if (signal.aborted) return;
      failures = performance.now() - forkedAt < stableAfterMs ? failures + 1 : 0;
      if (failures >= failuresMax && this.#serving().length === 0) {
        this.#failed.resolve(
          new StartProblem(
            `The server ended, because its processes ended ${failures} times in a row: ${reason.replaceAll('\n', ' ')}`,
          ),
        );
        return;
      }
      logAlert(this.#options.log, 'workerEnded', { reason });
      const { min, max } = restartPauseMs;
      await pause(Math.min(max, min * 2 ** failures), { signal }).catch(() => undefined);
    }
  }

  /** Resolves to the reason of the end of a worker. */
  async #runOne(): Promise<string> {
    const process = this.#fork();
    const { channel, ended } = process;
    const { connection } = this.#options;
    const outcome = await channel
      .call('start', { connection, secrets: this.#secrets, isFirst: !this.#hasStarted })
      .catch(() => undefined);
    if (outcome === undefined) return await ended;
    if ('problem' in outcome) {
      if (!this.#hasStarted) this.#failed.resolve(new StartProblem(outcome.problem));
      channel.call('stop').catch(() => undefined);
      await ended;
      return outcome.problem;
    }
    process.isServing = true;
    if (outcome.started !== undefined) {
      this.#hasStarted = true;
      this.#first.resolve(outcome.started);
    }
    return await ended;
  }

  #fork(): WorkerProcess {
    const worker = cluster.fork(workerMark);
    const channel = openChannel<WorkerCalls, ParentCalls>(worker, {
      readMetrics: () => this.#metrics.read(),
      isBuildingConsole: () => this.#options.console.isBuilding(),
    });
    const ended = new Promise<string>((resolve) => {
      worker.once('exit', (code, signal) => resolve(signal || `exit code ${code}`));
      worker.on('error', ({ message }) => {
        if (worker.process.pid === undefined) resolve(message);
      });
    });
    const process = { worker, channel, ended, isServing: false };
    this.#processes.add(process);
    void ended.then(() => {
      this.#processes.delete(process);
      this.#metrics.forget(channel);
      channel.close();
    });
    return process;
  }

  #serving(): Channel<WorkerCalls>[] {
    return [...this.#processes].filter(({ isServing }) => isServing).map(({ channel }) => channel);
  }
}
