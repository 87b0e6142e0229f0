// Turns the rows of another store's tables into the JSON lines of an import, with what the rows leave out.

import { expectedTimeZone, isTimeZone } from '../../../domain/subscriptions/calendar-period.ts';
import {
  lastPeriodOfMoved,
  type MovedSubscription,
  withLastPeriod,
} from '../../../domain/subscriptions/moved-subscription.ts';
import { type PaidPeriod, priceOf } from '../../../domain/subscriptions/subscription.ts';
import type { Place } from '../../../store/transfer/import-problems.ts';
import type { JsonObject, SourceLine } from '../import-source.ts';
import type { CsvKind } from './csv-kinds.ts';

interface MovedRow {
  readonly place: Place;
  readonly values: JsonObject;
}

interface MovedLine {
  readonly place: Place;
  readonly object: JsonObject;
}

/** The customer, as in calls of the operator API that give no reason. */
const defaultReason = '0';

/** The store asks its customers for consent. */
const askedReason = '1';

const noQuestion = 'awaitsConsent: expected false while autoRenewing is true';
const noCancel = 'cancelledTime: expected one with awaitsConsent, the time of asking';
const noPrice = 'productId: expected a product of the file of products, or a price and a currency';
const noPeriod = 'productId: expected a product of type subscription with a period in the file of products';
const noFirstPrice = 'price: expected one with a firstPeriod';
const noOwnPrice = (of: JsonObject): string =>
  `price: expected one with the currency ${of['currency']}, which is not that of the product`;
const noRenewalPrice =
  'renewalPrice: expected one with a firstPeriod, or a product of the same currency in the file of products';
const noLastStart =
  'lastStartTime: expected one, because the expiryTime is not a number of periods after the firstStartTime';

export class MovedLines {
  readonly #packageName: string;
  /** The zone of subscriptions without one. */
  readonly #timeZone: string;
  readonly #now: number;
  readonly #products = new Map<unknown, JsonObject>();
  /** By its first purchase id, the last period so far of each subscription whose periods are among the purchases. */
  readonly #lastPeriods = new Map<unknown, MovedLine>();
  #voids = 0;

  constructor(app: { readonly packageName: string; readonly timeZone: string; readonly now: number }) {
    this.#packageName = app.packageName;
    this.#timeZone = app.timeZone;
    this.#now = app.now;
  }

  /** The lines that are complete with a row. */
  read(kind: CsvKind['kind'], { place, values }: MovedRow): readonly SourceLine[] {
    if (kind === 'product') return [this.#product(place, values)];
    const product = this.#products.get(values['productId']);
    const { period, ...ofProduct } = product ?? {};
    const { currency = ofProduct['currency'] } = values;
    // A price of the product says nothing about another currency.
    const prices = currency === ofProduct['currency'] ? ofProduct : {};
    // A trial is not free for ever.
    const renewal = 'firstPeriod' in values && 'price' in prices && { renewalPrice: prices['price'] };
    const app = { kind, packageName: this.#packageName };
    const ofKind = kind === 'subscription' && { period };
    const object = { ...app, developerPayload: '', ...ofKind, ...prices, ...renewal, ...values };
    if (!('price' in object && 'currency' in object)) {
      return [{ place, problem: product === undefined ? noPrice : noOwnPrice(values) }];
    }
    if ('firstPeriod' in values && !('price' in values)) return [{ place, problem: noFirstPrice }];
    if ('firstPeriod' in object && !('renewalPrice' in object)) return [{ place, problem: noRenewalPrice }];
    if (kind === 'subscription' && period === undefined) return [{ place, problem: noPeriod }];
    return kind === 'purchase' ? this.#purchase(place, object) : this.#subscription(place, object);
  }

  /** The last periods of subscriptions that no row had. */
  rest(): readonly SourceLine[] {
    return [...this.#lastPeriods.values()];
  }

  #product(place: Place, values: JsonObject): SourceLine {
    const { productId, price, currency, period } = values;
    this.#products.set(productId, { price, currency, ...(period !== undefined && { period }) });
    const times = { createdAt: this.#now, updatedAt: this.#now };
    const app = { kind: 'product', packageName: this.#packageName };
    return { place, object: { ...app, type: 'oneTime', ...values, ...times } };
  }

  /** A period is complete with the next one, or with its subscription. */
  #purchase(place: Place, sold: JsonObject): SourceLine[] {
    const { firstPurchaseId, startTime, expiryTime } = sold;
    const object = this.#withVoid(sold);
    if (firstPurchaseId === undefined) return [{ place, object }];
    if (startTime === undefined || expiryTime === undefined) {
      return [{ place, problem: 'firstPurchaseId: expected none without a startTime and an expiryTime' }];
    }
    const before = this.#lastPeriods.get(firstPurchaseId);
    const periodIndex = before === undefined ? 0 : Number(before.object['periodIndex']) + 1;
    this.#lastPeriods.set(firstPurchaseId, { place, object: { ...object, periodIndex } });
    return before === undefined ? [] : [before];
  }

  #withVoid(sold: JsonObject): JsonObject {
    if (sold['voidedTime'] === undefined) return sold;
    this.#voids += 1;
    return { ...sold, voidReason: sold['voidReason'] ?? defaultReason, voidOrder: this.#voids };
  }

  #subscription(place: Place, row: JsonObject): SourceLine[] {
    const { lastStartTime, voidedTime, voidReason, timeZone = this.#timeZone, ...known } = row;
    const { awaitsConsent, ...own } = known;
    if (!isTimeZone(String(timeZone))) return [{ place, problem: `timeZone: ${expectedTimeZone}` }];
    const isCancelled = own['cancelledTime'] !== undefined;
    if (awaitsConsent === true && own['autoRenewing'] === true) return [{ place, problem: noQuestion }];
    if (awaitsConsent === true && !isCancelled) return [{ place, problem: noCancel }];
    const asked = { cancelReason: askedReason, consent: 'awaited' };
    const cancelled = isCancelled ? { cancelReason: defaultReason } : {};
    const moved = {
      ...(awaitsConsent === true ? asked : cancelled),
      ...own,
      timeZone,
    } as unknown as MovedSubscription;
    const { firstPurchaseId } = moved;
    const paidPeriods = this.#lastPeriods.get(firstPurchaseId);
    this.#lastPeriods.delete(firstPurchaseId);
    const last = paidPeriods?.object ?? lastPeriodOfMoved(moved, lastStartTime as number | undefined);
    if (last === undefined) return [{ place, problem: noLastStart }];
    const { productId, currency, developerPayload } = moved;
    const price = priceOf({ renewalPrice: null, ...moved }, Number(last['periodIndex']));
    const paid = {
      ...{ kind: 'purchase', packageName: this.#packageName, firstPurchaseId, productId },
      ...{ buyerId: own['buyerId'], price, currency, developerPayload },
      ...{ purchaseTime: last['startTime'], ...last },
    };
    const paidPeriod = voidedTime === undefined ? paid : this.#withVoid({ ...paid, voidedTime, voidReason });
    const decided = withLastPeriod(moved, paidPeriod as unknown as PaidPeriod);
    const { anchorTime: _time, anchorIndex: _index, ...subscription } = decided.subscription;
    const expiryEventWritten = !subscription.autoRenewing && subscription.expiryTime <= this.#now;
    return [
      {
        place: paidPeriods?.place ?? place,
        object: { ...paidPeriod, expiryTime: decided.paidPeriod.expiryTime },
      },
      { place, object: withoutNulls({ ...subscription, expiryEventWritten }) },
    ];
  }
}

function withoutNulls(values: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(values).filter(([, value]) => value !== null && value !== undefined),
  );
}
