// What the handlers of one server can use; each handler declares the part that it uses.

import type { PriceUnit } from '@opentill/contract/fields.ts';
import type { WebhookRules } from '../domain/webhooks/webhook-address.ts';
import type { Randomness } from '../runtime/randomness.ts';
import type { RequestLog } from '../store/sandbox/request-log.ts';
import type { SandboxState } from '../store/sandbox/sandbox-state.ts';
import type { Store } from '../store/store.ts';
import type { ConsoleSeals } from './console/console-seals.ts';
import type { OperatorKeys } from './console/operator-keys.ts';
import type { EventWaiters } from './events/event-waiters.ts';
import type { PurchaseCall } from './purchase-handler.ts';
import type { AttentionReader } from './status/attention-reader.ts';
import type { RenewalOptions, SettlingOptions } from './subscriptions/renewal/renewal-options.ts';

/** Limits for a sandbox that others use; undefined: no limit, as in production. */
export interface SandboxQuotas {
  readonly purchasesPerApp: number | undefined;
  readonly testWebhooksPerMinute: number | undefined;
}

export interface HandlerOptions {
  readonly store: Store;
  readonly randomness: Randomness;
  /** Months of new subscriptions follow its calendar. */
  readonly timeZone: string;
  readonly priceUnit: PriceUnit;
  readonly webhookRules: WebhookRules;
  readonly settling: SettlingOptions;
  /** False in production without a payment gateway, where no second month could be charged. */
  readonly allowsSubscriptions: boolean;
  readonly quotas: SandboxQuotas;
  /** Shared by all listeners, because its limits apply to the server. */
  readonly eventWaiters: EventWaiters;
  readonly operatorKeys: () => OperatorKeys;
  readonly seals: ConsoleSeals;
  readonly attention: Pick<AttentionReader, 'read'>;
  /** The first secret signs, all of them verify. */
  readonly continuationKeySecrets: () => readonly Buffer[];
}

/** Returns what the purchase API would for a call with a valid token. */
export type AnswerPurchaseCall = (
  operationId: string,
  call: PurchaseCall,
  // biome-ignore lint/suspicious/noExplicitAny: the body of any operation, which its schema has serialized
) => Promise<{ readonly httpStatus: number; readonly body: any }>;

export interface OperatorHandlerOptions extends HandlerOptions {
  readonly answerPurchaseCall: AnswerPurchaseCall;
}

/** For the operations that exist in the sandbox only. */
export interface SandboxHandlerOptions {
  readonly requestLog: RequestLog;
  readonly renewals: RenewalOptions;
  readonly readSandboxState: (packageName: string) => Promise<SandboxState>;
  readonly isStopping: () => boolean;
  readonly tokenLifetimeSeconds: number;
}

export type Uses<Name extends keyof (OperatorHandlerOptions & SandboxHandlerOptions)> = Pick<
  OperatorHandlerOptions & SandboxHandlerOptions,
  Name
>;
