// A worker: a process that serves requests and runs jobs, and does what its parent orders.

import cluster from 'node:cluster';
import { readConfig } from '../config/config.ts';
import { builtConsole } from '../program/console-bundle.ts';
import { endAtOnce, groupSignals, stopOnSignal } from '../program/process-end.ts';
import { openProgramLog } from '../program/program-log.ts';
import type { RunningServer } from '../program/server.ts';
import { logReload, prepareWelcome, reloadServer, type Started, startServerOf } from '../program/service.ts';
import type { Log } from '../runtime/log.ts';
import { StartProblem } from '../runtime/start-problem.ts';
import { openChannel, type ParentCalls, type StartOrder, type WorkerCalls } from './channel.ts';

interface WorkerOptions {
  readonly buildsConsole: boolean;
  readonly readMetrics: () => Promise<string>;
  readonly isBuildingConsole: () => Promise<boolean>;
}

/** The server of a worker, and what the welcome shows if this is the first worker. */
interface StartedWorker {
  readonly server: RunningServer;
  readonly log: Log;
  readonly welcome: Started | undefined;
}

export function runWorker({ buildsConsole }: Pick<WorkerOptions, 'buildsConsole'>): void {
  const { worker } = cluster;
  if (worker === undefined) throw new Error('This process has no parent.');
  // The parent passes signals on as calls, whichever processes of the server get them.
  for (const signal of groupSignals) process.on(signal, () => undefined);
  // Before the listener of node:cluster, whose exit could wait for a blocked write of the log.
  process.prependOnceListener('disconnect', endAtOnce);
  const { promise: started, resolve: serve } = Promise.withResolvers<StartedWorker>();
  const ending: Ending = { stop: () => process.exit() };
  const parent = openChannel<ParentCalls, WorkerCalls>(worker, {
    async start(order) {
      const isBuildingConsole = () => parent.call('isBuildingConsole');
      const readMetrics = () => parent.call('readMetrics');
      const options = { buildsConsole, isBuildingConsole, readMetrics };
      try {
        const own = await startWorker(options, order, ending);
        serve(own);
        return { started: own.welcome };
      } catch (error) {
        return { problem: (error as Error).message };
      }
    },
    readMetrics: async () => (await started).server.metrics.registry.getMetricsAsJSON(),
    async reload(secrets) {
      const { server, log } = await started;
      await logReload(log, () => reloadServer(server, secrets));
    },
    stop: () => ending.stop(),
  });
}

/** How the process ends, depending on what has started. */
interface Ending {
  stop: () => void;
}

async function startWorker(
  { buildsConsole, isBuildingConsole, readMetrics }: WorkerOptions,
  { connection, secrets, isFirst }: StartOrder,
  ending: Ending,
): Promise<StartedWorker> {
  const config = readConfig(secrets.env);
  const { log, close } = openProgramLog(config);
  const running = new AsyncDisposableStack();
  ending.stop = stopOnSignal(running, { log, close, skips: groupSignals });
  try {
    const console =
      buildsConsole && config.servesConsole
        ? { ...builtConsole, isBuilding: isBuildingConsole }
        : builtConsole;
    const makesDemo = isFirst && config.makesDemo;
    const parts = { secrets, connection, console, log, readMetrics, makesDemo };
    const { server, demo } = await startServerOf(config, parts, running);
    const welcome = isFirst ? await prepareWelcome(config, server, { ...secrets.keys, demo }) : undefined;
    return { server, log, welcome };
  } catch (error) {
    if (!(error instanceof StartProblem)) log.fatal({ err: error }, 'a worker process could not start');
    throw error;
  }
}
