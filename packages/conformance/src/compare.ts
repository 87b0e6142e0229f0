// Compares what two servers of the purchase API respond for the same purchases, as before a store moves from one to the other.

import { type OperationName, openCalls } from './calls.ts';
import { renewalWindowSeconds } from './evidence.ts';
import { openExchange } from './http-exchange.ts';
import { fieldsOf, type HttpResponse, isObject, isSuccess, responseText } from './http-response.ts';
import { type Machine, system } from './runtime/system.ts';
import type { ConformanceTarget } from './target.ts';
import { Inconclusive, inconclusive, NoResponse } from './verdict.ts';

export interface Comparison {
  /** The old and the new server. */
  readonly targets: readonly ConformanceTarget[];
  readonly purchaseIds: readonly string[];
  /** Calls per second to each server. */
  readonly rate: number;
  readonly callTimeoutMs: number;
  readonly signal: AbortSignal;
  /** Called with each purchase that differs or cannot be compared. */
  readonly onResult: (result: ComparedPurchase) => void;
  readonly machine?: Machine;
}

interface Difference {
  readonly field: string;
  readonly oldValue: unknown;
  readonly newValue: unknown;
}

/** A purchase that differs, or why it could not be compared. */
export interface ComparedPurchase {
  readonly purchaseId: string;
  readonly differences?: readonly Difference[];
  readonly because?: string;
}

export interface ComparedCounts {
  equal: number;
  different: number;
  inconclusive: number;
}

/** A pair that differs is read again after this time: the purchase may have changed between the two reads. */
const readAgainAfterMs = 1_000;

/** Purchases that are compared at the same time, as far as the rate allows. */
const purchasesAtOnce = 16;

const wrongToken = 401;

/** @throws Inconclusive or NoResponse if a server issues no token at the start */
export async function comparePurchases(comparison: Comparison): Promise<ComparedCounts> {
  const { targets, purchaseIds, signal, onResult, machine = system } = comparison;
  const hosts = targets.map((target) => new ComparedHost(target, { ...comparison, machine }));
  await Promise.all(hosts.map((host) => host.renewToken()));
  const counts: ComparedCounts = { equal: 0, different: 0, inconclusive: 0 };
  const differencesOf = async (purchaseId: string) => differencesBetween(await readBoth(hosts, purchaseId));
  const compare = async (purchaseId: string): Promise<void> => {
    try {
      let differences = await differencesOf(purchaseId);
      if (differences.length > 0) {
        await machine.pause(readAgainAfterMs, signal);
        differences = await differencesOf(purchaseId);
      }
      counts[differences.length === 0 ? 'equal' : 'different'] += 1;
      if (differences.length > 0) onResult({ purchaseId, differences });
    } catch (error) {
      if (!(error instanceof Inconclusive || error instanceof NoResponse)) throw error;
      counts.inconclusive += 1;
      onResult({ purchaseId, because: error.message });
    }
  };
  const left = purchaseIds.values();
  const workers = Array.from({ length: purchasesAtOnce }, async () => {
    for (const purchaseId of left) await compare(purchaseId);
  });
  await Promise.all(workers);
  return counts;
}

/** @throws Inconclusive if neither host has it */
async function readBoth(hosts: readonly ComparedHost[], purchaseId: string): Promise<readonly Fields[]> {
  const details = await Promise.all(hosts.map((host) => host.read('getPurchaseDetails', purchaseId)));
  if (details.some(({ error }) => error === undefined)) return details;
  const periods = await Promise.all(
    hosts.map(async (host) => ({
      ...(await host.read('getRecurringPurchaseDetails', purchaseId)),
      last: await host.read('getLastRecurringPurchaseDetails', purchaseId),
    })),
  );
  const isUnknown = (fields: Fields) => fields['error'] !== undefined;
  if (periods.every((period) => isUnknown(period) && isUnknown(period.last)))
    inconclusive('neither host has a purchase with this id.');
  return periods;
}

type Fields = Readonly<Record<string, unknown>>;

/** The fields of a response, or the code of its error, whose words are each server's own. */
function shownFields(response: HttpResponse): Fields {
  const { error } = fieldsOf(response);
  if (isSuccess(response)) return fieldsOf(response);
  return { error: isObject(error) ? error['code'] : response.status };
}

function differencesBetween([before = {}, after = {}]: readonly Fields[]): Difference[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].flatMap((field) => {
    const pair = [before[field], after[field]] as const;
    if (pair.every(isObject)) {
      const inner = differencesBetween(pair as readonly Fields[]);
      return inner.map((difference) => ({ ...difference, field: `${field}.${difference.field}` }));
    }
    const [oldValue, newValue] = pair;
    return JSON.stringify(oldValue) === JSON.stringify(newValue) ? [] : [{ field, oldValue, newValue }];
  });
}

/** A line for people. */
export function comparedText({ purchaseId, differences = [], because }: ComparedPurchase): string {
  const texts = differences.map(
    ({ field, oldValue, newValue }) => `${field}: ${valueText(oldValue)} -> ${valueText(newValue)}`,
  );
  return `${purchaseId}  ${because === undefined ? texts.join(', ') : `not compared: ${because}`}`;
}

const valueText = (value: unknown): string => (value === undefined ? 'none' : JSON.stringify(value));

type Reading = Extract<
  OperationName,
  'getPurchaseDetails' | 'getRecurringPurchaseDetails' | 'getLastRecurringPurchaseDetails'
>;

type HostOptions = Pick<Comparison, 'rate' | 'callTimeoutMs' | 'signal'> & { readonly machine: Machine };

/** One of the two servers, with its own token and its own pace. */
class ComparedHost {
  readonly #calls: ReturnType<typeof openCalls>;
  readonly #options: HostOptions;
  #nextCallAt = 0;
  #renewAt = 0;
  #renewal: Promise<void> | undefined;

  constructor(target: ConformanceTarget, options: HostOptions) {
    const { machine, signal } = options;
    const exchange = openExchange(target, options);
    this.#calls = openCalls({ exchange, target, machine, signal, keepSecret: () => undefined });
    this.#options = options;
  }

  async read(operation: Reading, purchaseId: string): Promise<Fields> {
    if (this.#options.machine.now() >= this.#renewAt) await this.renewToken();
    const fields = await this.#callInTurn(operation, purchaseId);
    if (fields['error'] !== wrongToken) return fields;
    // It was expelled, or expired by the clock of the server.
    await this.renewToken();
    return this.#callInTurn(operation, purchaseId);
  }

  /** Concurrent reads share one request. */
  renewToken(): Promise<void> {
    this.#renewal ??= this.#requestToken().finally(() => {
      this.#renewal = undefined;
    });
    return this.#renewal;
  }

  async #requestToken(): Promise<void> {
    const response = await this.#calls.requestToken();
    const { access_token: token, expires_in: seconds } = fieldsOf(response);
    if (typeof token !== 'string') inconclusive(responseText(response));
    const lifetime = typeof seconds === 'number' ? seconds : 2 * renewalWindowSeconds;
    // Within the window, the server issues a new one.
    const leftMs = Math.max(lifetime - renewalWindowSeconds, 1) * 1_000;
    this.#renewAt = this.#options.machine.now() + leftMs;
  }

  async #callInTurn(operation: Reading, purchaseId: string): Promise<Fields> {
    const { machine, rate, signal } = this.#options;
    const at = Math.max(machine.now(), this.#nextCallAt);
    this.#nextCallAt = at + 1_000 / rate;
    await machine.pause(at - machine.now(), signal);
    return shownFields(await this.#calls.call(operation, { purchaseId }));
  }
}
