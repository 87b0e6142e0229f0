// The client of the purchase API for the backend of an app (the specification, "Endpoints"; docs/client.md).

import { AppConnection, type AppOptions } from './app-connection.ts';
import type { CallOptions } from './call-options.ts';
import { consumeOnce, type SettledConsumption } from './consume-once.ts';
import type * as contract from './contract-types.ts';
import { eventsCalls, purchaseCalls } from './operation-calls.ts';
import { callOf } from './operation-methods.ts';
import { type ClaimedPurchase, type VerifiedPurchase, verifyPurchase } from './verify-purchase.ts';
import { type Follow, followVoided, type VoidedPosition, voidedPages } from './voided-walk.ts';

/** The server, the credentials and the package name of an app. */
export interface PurchaseClientOptions extends AppOptions {
  readonly packageName: string;
  /** The environment of the host; production by default. */
  readonly environment?: 'production' | 'sandbox' | undefined;
}

/** Has one method for each operation of the purchase API; a failed call throws OpenTillError, an aborted one the reason. */
export class PurchaseClient {
  readonly packageName: string;
  readonly #app: AppConnection;
  readonly #isProduction: boolean;

  /** @throws TypeError for an invalid host or credentials */
  constructor({ packageName, environment = 'production', ...options }: PurchaseClientOptions) {
    this.packageName = packageName;
    this.#isProduction = environment === 'production';
    this.#app = new AppConnection(options);
  }

  /**
   * Requests an access token, for example to check the credentials; the other methods request one when they need it.
   * Wrong credentials get 400 (the specification, "getAccessToken").
   */
  getAccessToken(options: CallOptions = {}): Promise<contract.AccessTokenResponse> {
    return this.#app.getAccessToken(options);
  }

  /** Reads a one-time purchase; 9001 if there is none with this id (the specification, "Resources and their fields"). */
  getPurchaseDetails(
    parameters: contract.GetPurchaseDetailsParameters,
    options?: CallOptions,
  ): Promise<contract.PurchaseDetails> {
    return this.#call('getPurchaseDetails', parameters, options);
  }

  /** Reads a one-time purchase of a product; 9001 if there is none (the specification, "getPurchaseDetailsByProductId"). */
  getPurchaseDetailsByProductId(
    parameters: contract.GetPurchaseDetailsByProductIdParameters,
    options?: CallOptions,
  ): Promise<contract.PurchaseDetails> {
    return this.#call('getPurchaseDetailsByProductId', parameters, options);
  }

  /** Reads a period of a subscription by its purchaseId; 9001 if there is none (the specification, "Resources and their fields"). */
  getRecurringPurchaseDetails(
    parameters: contract.GetRecurringPurchaseDetailsParameters,
    options?: CallOptions,
  ): Promise<contract.RecurringPurchaseDetails> {
    return this.#call('getRecurringPurchaseDetails', parameters, options);
  }

  /** Reads the latest period of a subscription by its first purchaseId; 9001 if there is none (the specification, "getLastRecurringPurchaseDetails"). */
  getLastRecurringPurchaseDetails(
    parameters: contract.GetLastRecurringPurchaseDetailsParameters,
    options?: CallOptions,
  ): Promise<contract.LastRecurringPurchaseDetails> {
    return this.#call('getLastRecurringPurchaseDetails', parameters, options);
  }

  /**
   * Cancels or reactivates auto-payment; 9001 if the subscription is not found. responseCode 1 means that nothing changed
   * because of the state of the subscription (the specification, "States and transitions").
   */
  manageRecurringPaymentStatus(
    parameters: contract.ManageRecurringPaymentStatusParameters,
    options?: CallOptions,
  ): Promise<contract.PaymentStatusChange> {
    return this.#call('manageRecurringPaymentStatus', parameters, options);
  }

  /** Reads a page of the voided list; 9101 for an invalid query (the specification, "getVoidedPurchases query parameters"). */
  getVoidedPurchases(
    parameters: contract.GetVoidedPurchasesParameters = {},
    options?: CallOptions,
  ): Promise<contract.VoidedPurchases> {
    return this.#call('getVoidedPurchases', parameters, options);
  }

  /**
   * Marks a purchase as consumed; 9200 if it does not exist or is voided, 9201 if it is already consumed, perhaps by a
   * lost attempt of this call, which `consumeOnce` resolves (the specification, "States and transitions").
   */
  consumePurchase(
    parameters: contract.ConsumePurchaseParameters,
    options?: CallOptions,
  ): Promise<contract.ConsumptionResult> {
    return this.#call('consumePurchase', parameters, options);
  }

  /**
   * Marks a purchase as consumed and, if a response is lost or has 9201, reads the purchase to determine the outcome.
   * Do not deliver after 9200: the purchase does not exist or is voided.
   */
  consumeOnce(
    { purchaseId }: contract.ConsumePurchaseParameters,
    options?: CallOptions,
  ): Promise<SettledConsumption> {
    return consumeOnce(this, purchaseId, options ?? {});
  }

  /**
   * Checks before delivery that a purchase is of this product and app, is not voided, has the expected consumption
   * and the developerPayload of the order, and in production is not from the sandbox.
   */
  verifyPurchase(claim: ClaimedPurchase, options?: CallOptions): Promise<VerifiedPurchase> {
    return verifyPurchase(this, claim, { ...options, isProduction: this.#isProduction });
  }

  /**
   * Reads a page of events, oldest first; `after` is the cursor of the previous page. The call fails with 410 if the
   * next event was removed.
   */
  async listEvents(
    parameters: contract.ListEventsParameters = {},
    options: CallOptions = {},
  ): Promise<contract.EventPage> {
    const call = callOf('listEvents', eventsCalls.listEvents, parameters, options);
    return (await this.#app.send(call)) as contract.EventPage;
  }

  /** Yields all entries of the voided list in a range, reading pages on demand. */
  async *voidedPurchases(
    range: Omit<contract.GetVoidedPurchasesParameters, 'continuationKey'> = {},
    options?: CallOptions,
  ): AsyncGenerator<contract.VoidedPurchase, void, undefined> {
    const read = (parameters: contract.GetVoidedPurchasesParameters) =>
      this.getVoidedPurchases(parameters, options);
    for await (const page of voidedPages(read, range)) yield* page;
  }

  /**
   * Passes all voids since `since` to `save`, page by page, with the position to continue from. Store both in one
   * transaction, so that no void is lost or repeated. Resolves at the end of the list; call it again regularly. From a
   * position that is more than a month old, it catches up month by month.
   */
  followVoidedPurchases(follow: Follow, options?: CallOptions): Promise<VoidedPosition> {
    return followVoided((parameters) => this.getVoidedPurchases(parameters, options), follow);
  }

  async #call<Result>(
    operation: keyof typeof purchaseCalls,
    parameters: object,
    options: CallOptions = {},
  ): Promise<Result> {
    const values = { ...parameters, packageName: this.packageName };
    const call = callOf(operation, purchaseCalls[operation], values, options);
    return (await this.#app.send(
      call.retry === 'idempotent' ? call : { ...call, retry: 'whenAsked' },
    )) as Result;
  }
}
