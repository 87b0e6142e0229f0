// What happened in this process that the status of the store needs.

import { attentionThresholds } from '@opentill/contract/attention-kinds.ts';
import packageJson from '../../../package.json' with { type: 'json' };
import type { ChargeOutcome } from '../../domain/subscriptions/renewal.ts';
import type { Randomness } from '../../runtime/randomness.ts';
import type { StoreClock } from '../../store/clocks/store-clock.ts';
import type { ServerProcess } from '../../store/status/server-processes.ts';

/** The most recent wrong keys that are remembered; more are one attack. */
const wrongKeysMax = 1_000;

interface ProcessActivityOptions {
  readonly clock: StoreClock;
  readonly randomness: Randomness;
}

export class ProcessActivity {
  readonly #options: ProcessActivityOptions;
  readonly #processId: string;
  readonly #startedAt: number;
  #gatewayClearAt: number | null = null;
  #wrongKeyTimes: number[] = [];

  constructor(options: ProcessActivityOptions) {
    this.#options = options;
    this.#processId = options.randomness.bytes(16).toString('hex');
    this.#startedAt = options.clock.now();
  }

  /** The payment gateway has responded, or has not. */
  noteCharge(outcome: ChargeOutcome): void {
    if (outcome !== 'unknown') this.#gatewayClearAt = this.#options.clock.now();
  }

  /** A call had a wrong operator key. */
  noteWrongKey(): void {
    this.#wrongKeyTimes = [...this.#wrongKeyTimes.slice(1 - wrongKeysMax), this.#options.clock.now()];
  }

  async report(): Promise<ServerProcess> {
    const { clock } = this.#options;
    const seenAt = clock.now();
    const skewMs = Math.abs(clock.differenceMs);
    const wrongKeys = this.#wrongKeyTimes.filter(
      (time) => time > seenAt - attentionThresholds.rejectedKeysMs,
    );
    return {
      processId: this.#processId,
      startedAt: this.#startedAt,
      seenAt,
      state: {
        version: packageJson.version,
        skewMs,
        gatewayClearAt: this.#gatewayClearAt,
        wrongKeys: wrongKeys.length,
        wrongKeysSince: wrongKeys[0] ?? null,
      },
    };
  }
}
