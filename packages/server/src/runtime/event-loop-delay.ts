// Measures by how much the event loop is late, with the histogram of Node.js, which opens no file for it.

import { monitorEventLoopDelay } from 'node:perf_hooks';

/** How often the histogram is updated, in ms: it counts this time as a delay. */
const resolutionMs = 10;

/** The mean of this time, in ms, decides, so that a single long task does not count. */
const windowMs = 1_000;

const nsPerMs = 1_000_000;

export class EventLoopDelay implements Disposable {
  readonly #histogram = monitorEventLoopDelay({ resolution: resolutionMs });
  readonly #timer: NodeJS.Timeout;
  #meanMs = 0;

  constructor() {
    this.#histogram.enable();
    this.#timer = setInterval(() => this.#closeWindow(), windowMs).unref();
  }

  /** The mean delay in the latest complete window. */
  get meanMs(): number {
    return this.#meanMs;
  }

  #closeWindow(): void {
    this.#meanMs = this.#histogram.mean / nsPerMs - resolutionMs;
    this.#histogram.reset();
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
    this.#histogram.disable();
  }
}
