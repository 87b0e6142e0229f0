// The scenarios of the lab: lists of calls. The browser makes those of the operator API. Those of the purchase API are on
// another listener and need a token of the app, so its backend makes them while the lab watches the log of requests.

import type { ClockAdvance, Faults, LoggedRequest, NewFault } from '@opentill/client/operator';
import { type LabCall, labCall } from '../../api/lab.ts';
import { remainingFaults } from './fault-presets.ts';

/** The responses to the calls of the scenario so far, by operation: a later one replaces an earlier one. */
export type Responses = Readonly<Record<string, unknown>>;

interface BrowserStep {
  readonly kind: 'call';
  readonly says: string;
  readonly call: (responses: Responses) => LabCall;
  /** Is made even if an earlier step failed or was stopped. */
  readonly isRestoring?: true;
}

/** A call that the backend of the app has to make. */
export interface BackendStep {
  readonly kind: 'backend';
  readonly says: string;
  readonly operation: 'getPurchaseDetails' | 'consumePurchase';
  readonly purchaseId: string;
  readonly path: string;
  readonly method: 'GET' | 'POST';
  /** undefined: the response is lost. */
  readonly httpStatus: number | undefined;
}

export type ScenarioStep = BrowserStep | BackendStep;

export interface ScenarioParts {
  readonly packageName: string;
  /** Of the purchase that the scenario records. */
  readonly purchaseId: string;
  /** undefined: the app has none. */
  readonly oneTimeId: string | undefined;
  readonly subscriptionId: string | undefined;
}

/** Whether a logged call is the one that a step waits for. */
export function isCallOf(
  { operation, purchaseId, httpStatus }: BackendStep,
  request: LoggedRequest,
): boolean {
  return (
    request.operationId === operation &&
    request.httpStatus === httpStatus &&
    request.path.includes(`/${purchaseId}/`)
  );
}

function step(says: string, call: BrowserStep['call'] | LabCall): BrowserStep {
  return { kind: 'call', says, call: typeof call === 'function' ? call : () => call };
}

/** Sets faults around steps, and puts back what they replaced. */
function withFaults(packageName: string, faults: NewFault[], steps: readonly ScenarioStep[]): ScenarioStep[] {
  const restore = ({ getFaults }: Responses) =>
    labCall('putFaults', {
      packageName,
      faults: remainingFaults((getFaults as Faults | undefined)?.faults ?? []),
    });
  return [
    step('Remember the faults that are set.', labCall('getFaults', { packageName })),
    step('Inject the faults of this scenario.', labCall('putFaults', { packageName, faults })),
    ...steps,
    { ...step('Set the earlier faults again.', restore), isRestoring: true },
  ];
}

/** Creates the product if the app has none of this type. */
function record(
  { packageName, purchaseId, oneTimeId, subscriptionId }: ScenarioParts,
  type: 'one_time' | 'subscription',
): BrowserStep[] {
  const known = type === 'subscription' ? subscriptionId : oneTimeId;
  const productId = known ?? (type === 'subscription' ? 'lab_monthly' : 'lab_coins');
  const product = labCall('putProduct', { packageName, productId, type, price: 499, currency: 'EUR' });
  return [
    ...(known === undefined ? [step('Create a product, because the app has none.', product)] : []),
    step(
      type === 'subscription' ? 'Start a subscription.' : 'Record a purchase.',
      labCall('recordPurchase', { packageName, productId, purchaseId }),
    ),
  ];
}

const advance = (says: string, packageName: string, by: string) =>
  step(says, labCall('advanceClock', { packageName, by }));

const showSubscription = ({ packageName, purchaseId }: ScenarioParts, says: string) =>
  step(says, labCall('getSubscription', { packageName, firstPurchaseId: purchaseId }));

/** The month that the latest advance paid for. */
function renewedMonth({ advanceClock }: Responses): string {
  const { happened = [] } = (advanceClock ?? {}) as Partial<ClockAdvance>;
  const renewed = happened.findLast(({ type }) => type === 'subscription.renewed');
  return renewed !== undefined && 'purchaseId' in renewed ? renewed.purchaseId : 'ID_OF_THE_SECOND_MONTH';
}

function backend(
  { packageName, purchaseId }: ScenarioParts,
  operation: BackendStep['operation'],
  { says, httpStatus }: Pick<BackendStep, 'says' | 'httpStatus'>,
): BackendStep {
  const isRead = operation === 'getPurchaseDetails';
  return {
    kind: 'backend',
    says,
    operation,
    purchaseId,
    method: isRead ? 'GET' : 'POST',
    path: `/v2/purchase/${isRead ? 'details' : 'consume'}/${purchaseId}/${packageName}`,
    httpStatus,
  };
}

export const scenarios: Readonly<Record<string, (parts: ScenarioParts) => ScenarioStep[]>> = {
  'Declined twice, then paid': (parts) => [
    ...record(parts, 'subscription'),
    ...withFaults(
      parts.packageName,
      [{ operation: 'charge', outcome: 'declined', times: 2 }],
      [
        advance('A month passes: the charge is declined.', parts.packageName, 'P1M'),
        advance('An hour later it is declined again.', parts.packageName, 'PT1H'),
        advance('After 6 hours it is paid.', parts.packageName, 'PT5H'),
        showSubscription(parts, 'The subscription is active, and its second month starts on time.'),
      ],
    ),
  ],
  'Declined to the end': (parts) => [
    ...record(parts, 'subscription'),
    ...withFaults(
      parts.packageName,
      [{ operation: 'charge', outcome: 'declined' }],
      [
        advance('A month passes: the charge is declined.', parts.packageName, 'P1M'),
        advance('All four retries are declined within 48 hours.', parts.packageName, 'P2D'),
        showSubscription(parts, 'The subscription has expired.'),
      ],
    ),
  ],
  'Cancel with a charge in flight': (parts) => [
    ...record(parts, 'subscription'),
    ...withFaults(
      parts.packageName,
      [{ operation: 'charge', outcome: 'pending', times: 1 }],
      [
        advance('A month passes: the charge is pending.', parts.packageName, 'P1M'),
        step(
          'The customer cancels.',
          labCall('cancelSubscription', {
            packageName: parts.packageName,
            firstPurchaseId: parts.purchaseId,
            reasonCode: 'test',
          }),
        ),
        advance('A minute later the charge turns out to be paid.', parts.packageName, 'PT2M'),
        showSubscription(parts, 'The second month has started, and no other follows.'),
      ],
    ),
  ],
  'Void the second month': (parts) => [
    ...record(parts, 'subscription'),
    advance('A month passes: the second month is paid.', parts.packageName, 'P1M'),
    step('Void the second month.', (responses) =>
      labCall('voidPurchase', {
        packageName: parts.packageName,
        purchaseId: renewedMonth(responses),
        reasonCode: 'test',
      }),
    ),
    showSubscription(parts, 'The subscription has ended, and the first month is still paid.'),
  ],
  'Consume with a lost response': (parts) => [
    ...record(parts, 'one_time'),
    ...withFaults(
      parts.packageName,
      [{ operation: 'consumePurchase', cut: 'after', times: 1 }],
      [
        backend(parts, 'consumePurchase', {
          says: 'The purchase is consumed, but the connection closes without a response.',
          httpStatus: undefined,
        }),
        backend(parts, 'consumePurchase', {
          says: 'The retry gets 9201: already consumed. That is a success.',
          httpStatus: 409,
        }),
        step(
          'The purchase is consumed once.',
          labCall('getPurchase', { packageName: parts.packageName, purchaseId: parts.purchaseId }),
        ),
      ],
    ),
  ],
  'Token expires midway': (parts) => [
    ...record(parts, 'one_time'),
    backend(parts, 'getPurchaseDetails', { says: 'A first call succeeds.', httpStatus: 200 }),
    step('The token expires now.', labCall('putToken', { packageName: parts.packageName, expiresIn: 0 })),
    backend(parts, 'getPurchaseDetails', {
      says: 'The next call with the same token gets 401: request a new token, and retry.',
      httpStatus: 401,
    }),
    backend(parts, 'getPurchaseDetails', { says: 'With the new token it succeeds.', httpStatus: 200 }),
  ],
  '503 twice': (parts) => [
    ...record(parts, 'one_time'),
    ...withFaults(
      parts.packageName,
      [{ operation: 'getPurchaseDetails', httpStatus: 503, times: 2 }],
      [
        backend(parts, 'getPurchaseDetails', { says: 'The call gets 503: retry it.', httpStatus: 503 }),
        backend(parts, 'getPurchaseDetails', { says: 'The second attempt gets 503 too.', httpStatus: 503 }),
        backend(parts, 'getPurchaseDetails', { says: 'The third attempt succeeds.', httpStatus: 200 }),
      ],
    ),
  ],
};
