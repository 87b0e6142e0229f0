// The metrics of a server with several processes: those of its workers and of their parent, combined.

import { AggregatorRegistry } from 'prom-client';
import { createParentMetrics, type MetricValues } from '../runtime/metrics.ts';
import type { Channel, WorkerCalls } from './channel.ts';

type WorkerChannel = Channel<WorkerCalls>;

/** Metrics that only grow. */
const countingTypes: ReadonlySet<unknown> = new Set(['counter', 'histogram']);

export class WorkerMetrics {
  readonly #serving: () => readonly WorkerChannel[];
  readonly #own;
  /** What each worker returned last. */
  readonly #last = new Map<WorkerChannel, MetricValues>();
  /** The counts of workers that have ended, without which a sum would shrink. */
  #ended: MetricValues[] = [];
  #reading: Promise<string> | undefined;

  constructor(serving: () => readonly WorkerChannel[]) {
    this.#serving = serving;
    this.#own = createParentMetrics(() => serving().length);
  }

  /** Concurrent calls share one collection, so that few wait for a frozen worker. */
  read(): Promise<string> {
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  forget(channel: WorkerChannel): void {
    const counts = this.#last.get(channel)?.filter(({ type }) => countingTypes.has(type));
    this.#last.delete(channel);
    if (counts !== undefined) this.#ended.push(counts);
  }

  async #read(): Promise<string> {
    await Promise.all(
      this.#serving().map(async (channel) => {
        // A worker that ends during the read counts with its last values.
        const values = await channel.call('readMetrics').catch(() => undefined);
        if (values !== undefined) this.#last.set(channel, values);
      }),
    );
    const own = await this.#own.getMetricsAsJSON();
    this.#ended = [await AggregatorRegistry.aggregate(this.#ended).getMetricsAsJSON()];
    return await AggregatorRegistry.aggregate([own, ...this.#ended, ...this.#last.values()]).metrics();
  }
}
