// Calls between the parent and its worker processes: each has a number, which its answer repeats.

import type { Worker } from 'node:cluster';
import type { ClientConfig } from 'pg';
import type { LoadedSecrets } from '../program/server-secrets.ts';
import type { Started } from '../program/service.ts';
import type { MetricValues } from '../runtime/metrics.ts';

export interface StartOrder {
  readonly connection: ClientConfig;
  readonly secrets: LoadedSecrets;
  /** Whether this worker creates what the welcome shows. */
  readonly isFirst: boolean;
}

/** Either why the server could not start, or what the welcome shows; only the first worker creates that. */
export type StartOutcome = { readonly problem: string } | { readonly started: Started | undefined };

/** What the parent calls. */
export interface WorkerCalls {
  start(order: StartOrder): Promise<StartOutcome>;
  readMetrics(): Promise<MetricValues>;
  reload(secrets: LoadedSecrets): Promise<void>;
  /** Ends the process when the requests in flight are answered. */
  stop(): void;
}

/** What a worker calls. */
export interface ParentCalls {
  /** The metrics of all processes, as text. */
  readMetrics(): Promise<string>;
  isBuildingConsole(): boolean | Promise<boolean>;
}

type Calls<Side> = { readonly [Name in keyof Side]: (...order: never[]) => unknown };

export interface Channel<Remote extends Calls<Remote>> {
  /** Rejects if the call fails in the other process, or that process ends before its answer. */
  call<Name extends keyof Remote & string>(
    name: Name,
    ...order: Parameters<Remote[Name]>
  ): Promise<Awaited<ReturnType<Remote[Name]>>>;
  /** Rejects the calls without an answer, because the other process has ended. */
  close(): void;
}

type Message =
  | { readonly call: number; readonly name: string; readonly order: readonly unknown[] }
  | { readonly answerTo: number; readonly value?: unknown; readonly failure?: string };

export function openChannel<Remote extends Calls<Remote>, Own extends Calls<Own>>(
  peer: Pick<Worker, 'send' | 'on'>,
  own: Own,
): Channel<Remote> {
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  let calls = 0;
  // The other process may have ended.
  const send = (message: Message) => peer.send(message, undefined, () => undefined);
  const answer = async (answerTo: number, name: string, order: readonly unknown[]): Promise<void> => {
    try {
      const run = own[name as keyof Own] as unknown as (...order: readonly unknown[]) => unknown;
      send({ answerTo, value: await run(...order) });
    } catch (error) {
      send({ answerTo, failure: String(error) });
    }
  };
  peer.on('message', (message: Message) => {
    if ('call' in message) {
      void answer(message.call, message.name, message.order);
      return;
    }
    const { answerTo, value, failure } = message;
    if (failure === undefined) waiting.get(answerTo)?.resolve(value);
    else waiting.get(answerTo)?.reject(new Error(failure));
    waiting.delete(answerTo);
  });
  return {
    async call(name, ...order) {
      calls += 1;
      const answered = Promise.withResolvers<unknown>();
      waiting.set(calls, answered);
      send({ call: calls, name, order });
      return (await answered.promise) as never;
    },
    close() {
      for (const { reject } of waiting.values()) reject(new Error('The other process has ended.'));
      waiting.clear();
    },
  };
}
