// The purchase API, as the backend of an app calls it (the specification, "Endpoints"; docs/client.md).

import { AppConnection, type AppOptions } from './app-connection.ts';
import type { EventsCallLines, PurchaseCallLines } from './call-lines.ts';
import type { CallOptions } from './call-options.ts';
import { consumeOnce, type SettledConsumption } from './consume-once.ts';
import type * as contract from './contract-types.ts';
import { eventsTimeoutMs } from './long-timeouts.ts';
import { callOf } from './operation-methods.ts';
import { type ClaimedPurchase, type VerifiedPurchase, verifyPurchase } from './verify-purchase.ts';
import { type Follow, followVoided, idleMs, type VoidedPosition, voidedPages } from './voided-walk.ts';

const lines = {
  getPurchaseDetails: 'GET /v2/purchase/details/:purchaseId/:packageName',
  getPurchaseDetailsByProductId: 'GET /v2/purchase/details-by-productid/:purchaseId/:packageName/:productId',
  getRecurringPurchaseDetails: 'GET /v2/purchase/recurring-details/:purchaseId/:packageName',
  getLastRecurringPurchaseDetails: 'GET /v2/purchase/last-recurring-details/:purchaseId/:packageName',
  manageRecurringPaymentStatus: 'POST /v2/purchase/manage-payment-status/:purchaseId/:packageName/:action',
  getVoidedPurchases: 'GET /v2/purchase/voided-purchases/:packageName',
  consumePurchase: 'POST /v2/purchase/consume/:purchaseId/:packageName',
} as const satisfies PurchaseCallLines;

const eventsLine = 'GET /events/v1/events' satisfies EventsCallLines['listEvents'];

export interface PurchaseClientOptions extends AppOptions {
  readonly packageName: string;
  /** Which environment the host is; production unless told otherwise. */
  readonly environment?: 'production' | 'sandbox' | undefined;
}

/** Every method throws OpenTillError for a call that failed, or the reason of the signal. */
export class PurchaseClient {
  readonly packageName: string;
  readonly #app: AppConnection;
  readonly #isProduction: boolean;

  /** @throws TypeError for a host or credentials that no call can be made with. */
  constructor({ packageName, environment = 'production', ...options }: PurchaseClientOptions) {
    this.packageName = packageName;
    this.#isProduction = environment === 'production';
    this.#app = new AppConnection(options);
  }

  /**
   * Asks for an access token. No call needs it: each asks by itself when there is no good token, and this one's
   * answer serves the calls that follow. It fails with 400 when the credentials are wrong.
   */
  getAccessToken(options: CallOptions = {}): Promise<contract.AccessTokenResponse> {
    return this.#app.getAccessToken(options);
  }

  /** A one-time purchase. 9001: there is none of this id. */
  getPurchaseDetails(
    parameters: contract.GetPurchaseDetailsParameters,
    options?: CallOptions,
  ): Promise<contract.PurchaseDetails> {
    return this.#call('getPurchaseDetails', parameters, options);
  }

  /** A one-time purchase if it is one of this product. 9001: it is not, or there is none. */
  getPurchaseDetailsByProductId(
    parameters: contract.GetPurchaseDetailsByProductIdParameters,
    options?: CallOptions,
  ): Promise<contract.PurchaseDetails> {
    return this.#call('getPurchaseDetailsByProductId', parameters, options);
  }

  /** One month of a subscription, by its own purchaseId. 9001: there is none. */
  getRecurringPurchaseDetails(
    parameters: contract.GetRecurringPurchaseDetailsParameters,
    options?: CallOptions,
  ): Promise<contract.RecurringPurchaseDetails> {
    return this.#call('getRecurringPurchaseDetails', parameters, options);
  }

  /** The latest month of a subscription, by its first purchaseId. 9001: there is none. */
  getLastRecurringPurchaseDetails(
    parameters: contract.GetLastRecurringPurchaseDetailsParameters,
    options?: CallOptions,
  ): Promise<contract.LastRecurringPurchaseDetails> {
    return this.#call('getLastRecurringPurchaseDetails', parameters, options);
  }

  /**
   * Cancels or reactivates auto-payment. responseCode 1 is an answer and no error: the subscription was in no
   * state for it, or in the one that was asked for. 9001: there is no such subscription.
   */
  manageRecurringPaymentStatus(
    parameters: contract.ManageRecurringPaymentStatusParameters,
    options?: CallOptions,
  ): Promise<contract.PaymentStatusChange> {
    return this.#call('manageRecurringPaymentStatus', parameters, options);
  }

  /** One page of the voided list; `voidedPurchases` walks through all of them. 9101: a rule of the range is broken. */
  getVoidedPurchases(
    parameters: contract.GetVoidedPurchasesParameters = {},
    options?: CallOptions,
  ): Promise<contract.VoidedPurchases> {
    return this.#call('getVoidedPurchases', parameters, options);
  }

  /**
   * Marks a purchase as consumed. 9200: there is none, or it is voided. 9201: it is consumed already, perhaps by an
   * attempt of this call whose answer was lost (`isOutcomeUnknown`): `consumeOnce` settles that.
   */
  consumePurchase(
    parameters: contract.ConsumePurchaseParameters,
    options?: CallOptions,
  ): Promise<contract.ConsumptionResult> {
    return this.#call('consumePurchase', parameters, options);
  }

  /**
   * Marks a purchase as consumed, and reads back what became of it when an answer is lost or says that it was
   * consumed already. 9200: there is none, or it is voided; do not deliver.
   */
  consumeOnce(
    { purchaseId }: contract.ConsumePurchaseParameters,
    options?: CallOptions,
  ): Promise<SettledConsumption> {
    return consumeOnce(this, purchaseId, options ?? {});
  }

  /**
   * Whether to deliver: the purchase is of this product and app, neither voided nor consumed, and made for this
   * order; in production it is no purchase of the sandbox.
   */
  verifyPurchase(claim: ClaimedPurchase, options?: CallOptions): Promise<VerifiedPurchase> {
    return verifyPurchase(this, claim, { ...options, isProduction: this.#isProduction });
  }

  /**
   * One page of the feed of events, oldest first; `after` is the cursor of the page before. 410: what follows the
   * cursor is not kept.
   */
  async listEvents(
    parameters: contract.ListEventsParameters = {},
    options: CallOptions = {},
  ): Promise<contract.EventPage> {
    const call = callOf('listEvents', eventsLine, parameters, options);
    const timeoutMs = call.timeoutMs ?? eventsTimeoutMs;
    return (await this.#app.send({ ...call, timeoutMs })) as contract.EventPage;
  }

  /** Every entry of the voided list within a range, page after page as they are read. */
  async *voidedPurchases(
    range: Omit<contract.GetVoidedPurchasesParameters, 'continuationKey'> = {},
    options?: CallOptions,
  ): AsyncGenerator<contract.VoidedPurchase, void, undefined> {
    const read = (parameters: contract.GetVoidedPurchasesParameters) =>
      this.getVoidedPurchases(parameters, options);
    for await (const page of voidedPages(read, range)) yield* page;
  }

  /**
   * Gives every void since `since` to `save`, page by page, each with the position to go on from: keep both
   * together, and no void is missed or given twice from run to run. Resolves at the end of the list; run it
   * again after a while. 9101: the position is older than a month.
   */
  followVoidedPurchases(follow: Follow, options?: CallOptions): Promise<VoidedPosition> {
    // The clock of a sandbox's app may be anywhere.
    const looksIdle = (since: number) => !this.#isProduction || Math.abs(this.#app.now - since) > idleMs;
    return followVoided((parameters) => this.getVoidedPurchases(parameters, options), follow, looksIdle);
  }

  async #call<Answer>(
    operation: keyof typeof lines,
    parameters: object,
    options: CallOptions = {},
  ): Promise<Answer> {
    const values = { ...parameters, packageName: this.packageName };
    const call = callOf(operation, lines[operation], values, options);
    return (await this.#app.send(call.repeat === 'any' ? call : { ...call, repeat: 'told' })) as Answer;
  }
}
