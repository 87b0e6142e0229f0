// The evidence that checks need, such as a token or purchases in a known state: from the options of the run, made in a sandbox, or
// the responses to a series of calls. Each is obtained once, when the first check needs it.

import { sizes } from '@opentill/contract/fields.ts';
import type { Calls, TokenRequest } from './calls.ts';
import { fieldsOf, type HttpResponse, isSuccess, responseText } from './http-response.ts';
import type { Machine } from './runtime/system.ts';
import { type OtherPurchase, openSandbox, type Sandbox } from './sandbox.ts';
import type { ConformanceTarget, KnownRecords } from './target.ts';
import { inconclusive } from './verdict.ts';
import { entriesOfAll, listedIds, walkVoided } from './voided-pages.ts';

export const msPerDay = 86_400_000;

/** With less time left, a new token is issued (the specification, "Limits"). */
export const renewalWindowSeconds = 600;

/** An id that no purchase has. */
export const unknownPurchase = { purchaseId: 'NO-SUCH-PURCHASE'.padEnd(sizes.purchaseId, '-') };

/** A purchase of this age is within the last month, whatever the calendar and the clock skew. */
const youngDays = 26;

/** Concurrent calls for the same purchase. */
const parallelCalls = 10;

interface EvidenceOptions {
  readonly target: ConformanceTarget;
  readonly calls: Calls;
  readonly machine: Machine;
  readonly usesSandbox: boolean;
  /** Records a purchase of another app in the sandbox. */
  readonly recordOther?: (() => Promise<OtherPurchase>) | undefined;
}

/** Each method throws Inconclusive if the evidence is missing. */
export class Evidence {
  readonly target: ConformanceTarget;
  readonly calls: Calls;
  readonly #options: EvidenceOptions;

  constructor(options: EvidenceOptions) {
    this.target = options.target;
    this.calls = options.calls;
    this.#options = options;
  }

  /** The response to a valid token request, which may be an error. */
  readonly tokenResponse = once(() => this.calls.requestToken());
  readonly token = once(async () => requireToken(await this.tokenResponse()));
  /** The response to a valid token request, with a token. */
  readonly issuedToken = async (): Promise<HttpResponse> => {
    await this.token();
    return this.tokenResponse();
  };
  readonly requestToken = async (request: TokenRequest): Promise<HttpResponse> => {
    await this.token();
    return this.calls.requestToken(request);
  };

  /** Calls with the newest token, as a backend does. */
  readonly call: Calls['call'] = async (...call) => {
    await this.token();
    return this.calls.call(...call);
  };
  readonly validCall = once(async () => {
    const response = await this.call('getVoidedPurchases');
    if (!isSuccess(response))
      inconclusive(`A call with valid headers was rejected. ${responseText(response)}`);
    return {};
  });
  /** Makes a call that must be rejected, which proves nothing unless a valid one succeeds. */
  readonly wrongCall: Calls['call'] = async (...call) => {
    await this.validCall();
    return this.calls.call(...call);
  };
  readonly wrongQuery = (query: Readonly<Record<string, string | number>>): Promise<HttpResponse> =>
    this.wrongCall('getVoidedPurchases', {}, { query });

  readonly #sandbox = once(async () => {
    if (!this.#options.usesSandbox) inconclusive('Needs --sandbox.');
    await this.token();
    return openSandbox(this.calls);
  });
  /** The current time of the server, in ms. */
  readonly now = once(async () => {
    if (!this.#options.usesSandbox) return this.#options.machine.now();
    await this.#voidedInSandbox();
    return (await this.#sandbox()).now();
  });

  /** A token with less than 600 seconds left, and the response to the next token request. */
  readonly renewal = once(async () => {
    const sandbox = await this.#sandbox();
    const old = requireToken(await this.calls.requestToken());
    await sandbox.shortenToken(renewalWindowSeconds - 1);
    return { old, renewed: await this.calls.requestToken() };
  });
  /** Two tokens, issued one after the other. */
  readonly twoTokens = once(async () => {
    const { old, renewed } = this.#options.usesSandbox
      ? await this.renewal()
      : { old: await this.token(), renewed: await this.calls.requestToken() };
    const token = requireToken(renewed);
    if (token !== old) return [old, token];
    return inconclusive('The same token is issued until it ends; --sandbox can end it early.');
  });
  readonly expiredToken = this.#given(
    '--expired-token-file',
    (known) => known.expiredToken,
    async (sandbox) => {
      // A token with much time left, so that only putToken can be what ends it.
      const ending = requireToken(await this.calls.requestToken());
      await sandbox.shortenToken(0);
      await this.calls.requestToken();
      return ending;
    },
  );
  readonly otherEnvironmentToken = this.#given(
    '--other-environment-token-file',
    (known) => known.otherEnvironmentToken,
  );

  readonly unconsumedPurchase = this.#unconsumed('--unconsumed-purchase', 0);
  readonly #consumablePurchase = this.#unconsumed('--unconsumed-purchase', 0);
  readonly #racedPurchase = this.#unconsumed('--unconsumed-purchase with a second id', 1);
  /** An unconsumed purchase and its product. */
  readonly soldPurchase = this.#given(
    '--unconsumed-purchase with its --product-id',
    ({ unconsumedPurchase: [purchaseId] = [], productId }) =>
      purchaseId && productId && { purchaseId, productId },
    (sandbox) => sandbox.recordPurchase(),
  );
  readonly consumedPurchase = this.#given(
    '--consumed-purchase',
    (known) => byId(known.consumedPurchase),
    async (sandbox) => {
      const purchase = await sandbox.recordPurchase();
      const response = await this.call('consumePurchase', purchase);
      if (!isSuccess(response)) inconclusive(`A purchase was not consumed. ${responseText(response)}`);
      return purchase;
    },
  );
  readonly otherPurchase = once(async (): Promise<OtherPurchase> => {
    const { otherPackage: packageName, otherPurchase: purchaseId } = this.target.known ?? {};
    if (packageName && purchaseId) return { packageName, purchaseId };
    const { recordOther } = this.#options;
    return recordOther?.() ?? inconclusive('Needs --other-package and --other-purchase, or --operator-url.');
  });
  readonly largePurchase = once(async () => (await this.#sandbox()).recordLarge());
  readonly subscription = this.#given(
    '--subscription',
    (known) => byId(known.subscription),
    (sandbox) => sandbox.recordSubscription(),
  );
  readonly renewedSubscription = once(async () => (await this.#sandbox()).recordRenewed());

  readonly #voidedInSandbox = once(async () => (await this.#sandbox()).recordVoided());
  readonly voidedPurchase = this.#given(
    '--voided-purchase',
    (known) => byId(known.voidedPurchase),
    () => this.#voidedInSandbox(),
  );
  /** Whether the voided purchase is known to have been voided within the last month. */
  readonly isVoidRecent = (): boolean => this.target.known?.voidedPurchase === undefined;
  /** A page of the voided list, read without parameters, that is not empty. */
  readonly listedPage = once(async () => {
    if (this.#options.usesSandbox) await this.#voidedInSandbox();
    const response = await this.call('getVoidedPurchases');
    if (listedIds(response).length > 0) return response;
    return inconclusive(`No voided purchase is listed. ${responseText(response)}`);
  });
  readonly voidedPages = once(async () => {
    await this.listedPage();
    const pages = await walkVoided(this.call);
    return typeof pages === 'string' ? inconclusive(pages) : pages;
  });
  /** An entry with room on both sides: within the last month and before now. */
  readonly placedEntry = once(async () => {
    const entries = entriesOfAll(await this.voidedPages());
    const now = await this.now();
    const from = now - youngDays * msPerDay;
    const placed = entries.find(({ purchaseTime, voidedTime }) => purchaseTime > from && voidedTime < now);
    return placed ?? inconclusive(`The voided list has no purchase of the last ${youngDays} days.`);
  });
  /** A page with maxResults 1 although there are more entries. */
  readonly firstPage = once(async () => {
    const ids = listedIds(await this.listedPage());
    if (ids.length < 2) inconclusive('Fewer than two voided purchases are listed.');
    return this.call('getVoidedPurchases', {}, { query: { maxResults: '1' } });
  });
  /** The page after it. */
  readonly secondPage = once(async () => {
    const page = await this.firstPage();
    const { continuationKey } = fieldsOf(page);
    if (typeof continuationKey === 'string') {
      return this.call('getVoidedPurchases', {}, { query: { maxResults: '1', continuationKey } });
    }
    return inconclusive(`Expected a continuationKey. ${responseText(page)}`);
  });

  /** The responses to cancelling and reactivating a subscription, with a GET before both. */
  readonly cancellation = once(async () => {
    const subscription = await this.subscription();
    const before = await this.call('getRecurringPurchaseDetails', subscription);
    if (fieldsOf(before)['autoRenewing'] !== true) {
      inconclusive(`The auto-payment of the subscription is not active. ${responseText(before)}`);
    }
    const change = (action: string, changes = {}) =>
      this.call('manageRecurringPaymentStatus', { ...subscription, action }, changes);
    return {
      ...subscription,
      byGet: await change('cancel', { method: 'GET' }),
      cancelled: await change('cancel'),
      details: await this.call('getRecurringPurchaseDetails', subscription),
      lastDetails: await this.call('getLastRecurringPurchaseDetails', subscription),
      reactivated: await change('reactivate'),
    };
  });
  /** The responses to consuming a purchase twice, with a GET before both. */
  readonly consumption = once(async () => {
    const purchase = await this.#consumablePurchase();
    return {
      ...purchase,
      byGet: await this.call('consumePurchase', purchase, { method: 'GET' }),
      detailsAfterGet: await this.call('getPurchaseDetails', purchase),
      first: await this.call('consumePurchase', purchase),
      detailsAfterFirst: await this.call('getPurchaseDetails', purchase),
      second: await this.call('consumePurchase', purchase),
      detailsAfterSecond: await this.call('getPurchaseDetails', purchase),
    };
  });
  /** The responses to concurrent consumptions of one purchase. */
  readonly race = once(async () => {
    const purchase = await this.#racedPurchase();
    return Promise.all(Array.from({ length: parallelCalls }, () => this.call('consumePurchase', purchase)));
  });

  #unconsumed(options: string, place: number) {
    const from = (known: KnownRecords) => byId(known.unconsumedPurchase?.[place]);
    return this.#given(options, from, (sandbox) => sandbox.recordPurchase());
  }

  /** Takes test data from the options of the run, or else makes it in the sandbox, if that is possible. */
  #given<T>(
    options: string,
    from: (known: KnownRecords) => T | '' | undefined,
    make?: (sandbox: Sandbox) => Promise<T>,
  ): () => Promise<T> {
    return once(async () => {
      const given = from(this.target.known ?? {});
      if (given) return given;
      if (make === undefined) return inconclusive(`Needs ${options}.`);
      if (!this.#options.usesSandbox) return inconclusive(`Needs ${options}, or --sandbox.`);
      return make(await this.#sandbox());
    });
  }
}

function once<T>(obtain: () => Promise<T>): () => Promise<T> {
  let obtained: Promise<T> | undefined;
  return () => {
    obtained ??= obtain();
    return obtained;
  };
}

const byId = (purchaseId: string | undefined) => purchaseId && { purchaseId };

/** Returns the token of a successful response. */
export function tokenOf(response: HttpResponse): string | undefined {
  const { access_token: token } = fieldsOf(response);
  return isSuccess(response) && typeof token === 'string' && token !== '' ? token : undefined;
}

function requireToken(response: HttpResponse): string {
  return tokenOf(response) ?? inconclusive(`There is no token. ${responseText(response)}`);
}
