// Handwritten lines of an import.

export type Line = Readonly<Record<string, unknown>>;

const time = 1_790_000_000_000;
/** When a period from then on ends, in UTC. */
export const periodEnd = time + 30 * 86_400_000;
const author = { madeBy: 'operator:admin', requestId: 'request' };

export const header = { kind: 'opentill', format: 2, environment: 'sandbox' } as const;

/** A complete export of these lines; a line that is a text is not changed. */
export function exportText(lines: readonly (string | Line)[], head: object = header): string {
  const texts = [head, ...lines, { kind: 'end', lines: lines.length }].map((line) =>
    typeof line === 'string' ? line : JSON.stringify(line),
  );
  return `${texts.join('\n')}\n`;
}

/** `number` makes the values of apps distinct. */
export const appLine = (packageName: string, number: number, more: object = {}): Line => ({
  kind: 'app',
  packageName,
  clientId: packageName,
  appNumber: number,
  clientSecretHash: number.toString(16).padStart(64, '0'),
  createdAt: time,
  tokenGeneration: 0,
  eventOrder: 0,
  voidOrder: 0,
  lastVoidedTime: 0,
  ...more,
});

export const productLine = (packageName: string, productId: string, more: object = {}): Line => ({
  kind: 'product',
  packageName,
  productId,
  type: 'oneTime',
  price: 499,
  currency: 'EUR',
  createdAt: time,
  updatedAt: time,
  ...more,
});

export const monthlyLine = (packageName: string): Line =>
  productLine(packageName, 'monthly', { type: 'subscription', period: 'P1M' });

export const purchaseLine = (packageName: string, purchaseId: string, more: object = {}): Line => ({
  kind: 'purchase',
  packageName,
  purchaseId,
  productId: 'coins',
  purchaseTime: time,
  developerPayload: '',
  price: 499,
  currency: 'EUR',
  ...more,
});

/** An app with a product of each type and a purchase of the order `o-1`. */
export const appWithPurchase = (packageName: string): readonly Line[] => [
  appLine(packageName, 1_000),
  productLine(packageName, 'coins'),
  monthlyLine(packageName),
  purchaseLine(packageName, 'p-1', { orderId: 'o-1' }),
];

export const periodLine = (packageName: string, firstPurchaseId: string, more: object = {}): Line =>
  purchaseLine(packageName, firstPurchaseId, {
    productId: 'monthly',
    firstPurchaseId,
    periodIndex: 0,
    startTime: time,
    expiryTime: periodEnd,
    ...more,
  });

/** The subscription of `subscriptionLine` with its period. */
export const subscriptionLines = (
  packageName: string,
  firstPurchaseId: string,
  more: object = {},
): Line[] => [subscriptionLine(packageName, firstPurchaseId, more), periodLine(packageName, firstPurchaseId)];

export const eventLine = (
  packageName: string,
  eventOrder: number,
  purchaseId: string,
  more: object = {},
): Line => ({
  kind: 'event',
  packageName,
  eventOrder,
  type: 'purchase.completed',
  eventTime: time,
  purchaseId,
  productId: 'coins',
  ...author,
  writtenAt: time,
  ...more,
});

/** A month of one sale of 499 EUR, the event of order 1, and what it sums up to. */
export const monthLines = (packageName: string, more: object = {}, sums: object = {}): Line[] => {
  const counts = {
    sales: 0,
    salesAmount: 0,
    trials: 0,
    renewals: 0,
    renewalsAmount: 0,
    refunds: 0,
    refundsAmount: 0,
  };
  const month = {
    kind: 'closedMonth',
    packageName,
    month: '2026-09',
    productId: '',
    currency: '',
    ...counts,
  };
  const interval = { firstOrder: 1, lastOrder: 1, closedAt: time, timeZone: 'UTC', isIncomplete: false };
  const product = { productId: 'coins', currency: 'EUR', sales: 1, salesAmount: 499 };
  return [
    { ...month, ...interval, ...more },
    { ...month, ...product, ...sums },
  ];
};

/** A subscription in its first period with auto-payment on. */
export const subscriptionLine = (packageName: string, firstPurchaseId: string, more: object = {}): Line => ({
  kind: 'subscription',
  packageName,
  firstPurchaseId,
  productId: 'monthly',
  firstStartTime: time,
  timeZone: 'UTC',
  period: 'P1M',
  price: 1,
  currency: 'EUR',
  developerPayload: '',
  autoRenewing: true,
  expiryTime: periodEnd,
  nextPaymentTime: periodEnd,
  lastPeriodIndex: 0,
  lastPurchaseId: firstPurchaseId,
  lastStartTime: time,
  expiryEventWritten: false,
  ...more,
});
