// An in-memory store that follows the specification, for the reference server of the tests.

export interface StoredPurchase {
  readonly packageName: string;
  readonly purchaseId: string;
  readonly productId: string;
  readonly purchaseTime: number;
  readonly developerPayload: string;
  /** Set for a month of a subscription. */
  readonly firstPurchaseId?: string;
  readonly expiryTime?: number;
  isConsumed: boolean;
  voidedTime?: number;
}

export interface StoredSubscription {
  autoRenewing: boolean;
  cancelledTime?: number;
  readonly months: StoredPurchase[];
}

export const app = {
  packageName: 'com.example.reference',
  clientId: 'com.example.reference',
  clientSecret: 'top+secret/of the=reference&app%20',
} as const;

const msPerDay = 86_400_000;
const tokenLifetimeMs = 3_600_000;
const renewalWindowMs = 600_000;
const monthMs = 31 * msPerDay;
/** More than one page of the default size. */
const seededVoids = 101;

/** How far the till's clock is ahead of the kit, so that the kit's current time has passed. */
const aheadMs = 60_000;

export class Till {
  /** Frozen except for `advance`. Initial purchases were made and voided before this time. */
  now = Date.now() - msPerDay;
  readonly purchases = new Map<string, StoredPurchase>();
  readonly subscriptions = new Map<string, StoredSubscription>();
  readonly voids: StoredPurchase[] = [];
  readonly products = new Map<string, string>();
  readonly continuationKeys = new Set<string>();
  readonly #tokens = new Map<string, number>();
  #newest = '';
  #drawn = 0;

  /** The ids of the initial purchases. */
  readonly seeded = this.#seed();

  issueToken(): { readonly token: string; readonly leftMs: number } {
    const leftMs = (this.#tokens.get(this.#newest) ?? 0) - this.now;
    if (leftMs >= renewalWindowMs) return { token: this.#newest, leftMs };
    this.#newest = `token-${this.#nextNumber()}-`.padEnd(36, 'x');
    this.#tokens.set(this.#newest, this.now + tokenLifetimeMs);
    return { token: this.#newest, leftMs: tokenLifetimeMs };
  }

  shortenToken(seconds: number): void {
    this.#tokens.set(this.#newest, this.now + seconds * 1_000);
  }

  get newestToken(): string {
    return this.#newest;
  }

  isKnown(token: string): boolean {
    return this.#tokens.has(token);
  }

  isLive(token: string): boolean {
    return (this.#tokens.get(token) ?? 0) > this.now;
  }

  record(
    sold: Partial<Pick<StoredPurchase, 'packageName' | 'productId' | 'purchaseTime' | 'developerPayload'>>,
    isSubscription = false,
  ): StoredPurchase {
    const purchaseId = this.#drawId();
    const month = this.#insert({
      packageName: app.packageName,
      productId: 'coins',
      purchaseTime: this.now - msPerDay,
      developerPayload: 'order-1',
      ...sold,
      purchaseId,
      ...(isSubscription && {
        firstPurchaseId: purchaseId,
        expiryTime: (sold.purchaseTime ?? this.now - msPerDay) + monthMs,
      }),
      isConsumed: false,
    });
    if (isSubscription) this.subscriptions.set(purchaseId, { autoRenewing: true, months: [month] });
    return month;
  }

  void(purchase: StoredPurchase): void {
    purchase.voidedTime = this.now;
    this.voids.push(purchase);
  }

  /** Advances the time, and renews due subscriptions. */
  advance(ms: number): void {
    this.now += ms;
    for (const { autoRenewing, months } of this.subscriptions.values()) {
      for (let last = months.at(-1); autoRenewing && last?.expiryTime; last = months.at(-1)) {
        if (last.expiryTime > this.now) break;
        const purchaseTime = last.expiryTime;
        const purchaseId = this.#drawId();
        const month = { ...last, purchaseId, purchaseTime, expiryTime: purchaseTime + monthMs };
        months.push(this.#insert(month));
      }
    }
  }

  #insert(purchase: StoredPurchase): StoredPurchase {
    this.purchases.set(purchase.purchaseId, purchase);
    return purchase;
  }

  #drawId(): string {
    return `P${String(this.#nextNumber()).padStart(19, '0')}`;
  }

  #nextNumber(): number {
    this.#drawn += 1;
    return this.#drawn;
  }

  #seed() {
    const consumed = this.record({});
    consumed.isConsumed = true;
    const voided = Array.from({ length: seededVoids }, () => this.record({}));
    for (const purchase of voided) {
      this.now += 1;
      this.void(purchase);
    }
    this.now = Date.now() + aheadMs;
    const packageName = 'com.example.other';
    return {
      unconsumedPurchase: [this.record({}).purchaseId, this.record({}).purchaseId],
      productId: 'coins',
      consumedPurchase: consumed.purchaseId,
      voidedPurchase: voided[0]?.purchaseId ?? '',
      subscription: this.record({ productId: 'monthly' }, true).purchaseId,
      otherPackage: packageName,
      otherPurchase: this.record({ packageName }).purchaseId,
      expiredToken: 'expired-token-of-the-reference-app-0',
      otherEnvironmentToken: 'token-of-the-other-environment-00000',
    };
  }
}
