// The scenarios of the lab: lists of calls. The browser makes those of the operator API. Those of the purchase API are on
// another listener and need a token of the app, so its backend makes them while the lab watches the log of requests.

import type { Attempt, Faults, NewFault, Purchase, Subscription } from '@opentill/client/operator';
import { type LabCall, labCall } from '../../api/lab.ts';
import { stateOf } from '../../parts/purchase-state.tsx';
import { subscriptionStates } from '../../parts/subscription-state.tsx';
import { remainingFaults } from './fault-presets.ts';

/** The responses to the calls of the scenario so far, by operation: a later one replaces an earlier one. */
type Responses = Readonly<Record<string, unknown>>;

/** What a step must lead to, as the server reports it afterwards. */
interface Expectation {
  readonly outcome: string;
  /** By default, the response to the call of the step itself is examined. */
  readonly read?: LabCall;
  readonly outcomeOf: (response: unknown) => string;
}

export interface BrowserStep {
  readonly kind: 'call';
  readonly says: string;
  readonly call: (responses: Responses) => LabCall;
  readonly expects?: Expectation;
  /** Comes last, and is made even if an earlier step failed or was stopped. */
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

interface ScenarioParts {
  readonly packageName: string;
  /** Of the purchase that the scenario records. */
  readonly purchaseId: string;
  /** The first product of each type, if the app has one. */
  readonly products: { readonly one_time?: string | undefined; readonly subscription?: string | undefined };
}

interface Scenario {
  /** Of the product that it sells. */
  readonly type: keyof ScenarioParts['products'];
  /** Are set during the steps. */
  readonly faults?: readonly NewFault[];
  readonly steps: (calls: ReturnType<typeof callsOf>) => ScenarioStep[];
}

function step(
  says: string,
  call: BrowserStep['call'] | LabCall,
  expects?: BrowserStep['expects'],
): BrowserStep {
  return {
    kind: 'call',
    says,
    call: typeof call === 'function' ? call : () => call,
    ...(expects !== undefined && { expects }),
  };
}

/** The calls that scenarios consist of. */
function callsOf({ packageName, purchaseId }: ScenarioParts) {
  const subscription = { packageName, firstPurchaseId: purchaseId };
  const charged = (attempt: number, outcome: string): Expectation => ({
    outcome,
    read: labCall('listAttempts', subscription),
    outcomeOf: (response) => outcomeOfAttempt((response as AttemptPage).attempts, attempt),
  });
  const inState = (outcome: Subscription['state'], months: number): Expectation => ({
    outcome: subscriptionText(outcome, months),
    read: labCall('getSubscription', subscription),
    outcomeOf(response) {
      const { state, months: all } = response as Subscription;
      return subscriptionText(state, all.length);
    },
  });
  const purchaseIn = (outcome: string): Expectation => ({
    outcome,
    outcomeOf: (response) => stateOf(response as Purchase),
  });
  return {
    /** Advances the clock by a duration, after which an attempt to charge the second month has this outcome. */
    charge: (says: string, by: string, expected: readonly [attempt: number, outcome: string]) =>
      step(says, labCall('advanceClock', { packageName, by }), charged(...expected)),
    showSubscription: (says: string, ...expected: Parameters<typeof inState>) =>
      step(says, labCall('getSubscription', subscription), inState(...expected)),
    showPurchase: (says: string, outcome: string) =>
      step(says, labCall('getPurchase', { packageName, purchaseId }), purchaseIn(outcome)),
    cancel: (says: string) =>
      step(
        says,
        labCall('cancelSubscription', { ...subscription, reasonCode: 'test' }),
        inState('expired', 1),
      ),
    voidRenewed: (says: string) =>
      step(
        says,
        (responses) =>
          labCall('voidPurchase', { packageName, purchaseId: renewedMonth(responses), reasonCode: 'test' }),
        purchaseIn('voided'),
      ),
    endToken: (says: string) => step(says, labCall('putToken', { packageName, expiresIn: 0 })),
    backend(operation: BackendStep['operation'], httpStatus: number | undefined, says: string): BackendStep {
      const isRead = operation === 'getPurchaseDetails';
      const path = `/v2/purchase/${isRead ? 'details' : 'consume'}/${purchaseId}/${packageName}`;
      return {
        kind: 'backend',
        says,
        operation,
        purchaseId,
        method: isRead ? 'GET' : 'POST',
        path,
        httpStatus,
      };
    },
  };
}

interface AttemptPage {
  readonly attempts: readonly Attempt[];
}

function outcomeOfAttempt(attempts: readonly Attempt[], number: number): string {
  const found = attempts.find(({ attempt, periodIndex }) => periodIndex === 1 && attempt === number);
  if (found === undefined) return 'not charged';
  return found.outcome ?? (found.wasPending ? 'pending' : 'without an outcome');
}

function subscriptionText(state: Subscription['state'], months: number): string {
  return `${subscriptionStates[state]} with ${months} ${months === 1 ? 'month' : 'months'}`;
}

/** The month that the latest charge paid for. */
function renewedMonth({ listAttempts }: Responses): string {
  const { attempts = [] } = (listAttempts ?? {}) as Partial<AttemptPage>;
  return attempts.find(({ outcome }) => outcome === 'paid')?.purchaseId ?? 'ID_OF_THE_SECOND_MONTH';
}

/** All calls of a scenario, in order. */
export function stepsOf(name: string, parts: ScenarioParts): ScenarioStep[] {
  const scenario = scenarios[name];
  if (scenario === undefined) return [];
  const { type, faults, steps } = scenario;
  const own = steps(callsOf(parts));
  return [...recordingOf(type, parts), ...(faults === undefined ? own : withFaults(parts, faults, own))];
}

/** Creates the product if the app has none of this type. */
function recordingOf(
  type: Scenario['type'],
  { packageName, purchaseId, products }: ScenarioParts,
): BrowserStep[] {
  const isSubscription = type === 'subscription';
  const productId = products[type] ?? (isSubscription ? 'lab_monthly' : 'lab_coins');
  const product = labCall('putProduct', { packageName, productId, type, price: 499, currency: 'EUR' });
  return [
    ...(products[type] === undefined ? [step('Create a product, because the app has none.', product)] : []),
    step(
      isSubscription ? 'Start a subscription.' : 'Record a purchase.',
      labCall('recordPurchase', { packageName, productId, purchaseId }),
    ),
  ];
}

/** Sets faults around steps, and puts back what they replaced. Those of charges are for its subscription only. */
function withFaults(
  { packageName, purchaseId }: ScenarioParts,
  faults: readonly NewFault[],
  steps: readonly ScenarioStep[],
): ScenarioStep[] {
  const own = faults.map((fault) =>
    fault.operation === 'charge' ? { ...fault, firstPurchaseId: purchaseId } : fault,
  );
  const restore = ({ getFaults }: Responses) =>
    labCall('putFaults', {
      packageName,
      faults: remainingFaults((getFaults as Faults | undefined)?.faults ?? []),
    });
  return [
    step('Remember the faults that are set.', labCall('getFaults', { packageName })),
    step('Inject the faults of this scenario.', labCall('putFaults', { packageName, faults: own })),
    ...steps,
    { ...step('Set the earlier faults again.', restore), isRestoring: true },
  ];
}

const scenarios: Readonly<Record<string, Scenario>> = {
  'Declined twice, then paid': {
    type: 'subscription',
    faults: [{ operation: 'charge', outcome: 'declined', times: 2 }],
    steps: ({ charge, showSubscription }) => [
      charge('A month passes: the charge is declined.', 'P1M', [1, 'declined']),
      charge('An hour later it is declined again.', 'PT1H', [2, 'declined']),
      charge('After 6 hours it is paid.', 'PT5H', [3, 'paid']),
      showSubscription('The subscription is active, and its second month starts on time.', 'active', 2),
    ],
  },
  'Declined to the end': {
    type: 'subscription',
    faults: [{ operation: 'charge', outcome: 'declined' }],
    steps: ({ charge, showSubscription }) => [
      charge('A month passes: the charge is declined.', 'P1M', [1, 'declined']),
      charge('All four retries are declined within 48 hours.', 'P2D', [5, 'declined']),
      showSubscription('The subscription has expired.', 'expired', 1),
    ],
  },
  'Cancel with a charge in flight': {
    type: 'subscription',
    faults: [{ operation: 'charge', outcome: 'pending', times: 1 }],
    steps: ({ charge, cancel, showSubscription }) => [
      charge('A month passes: the charge is pending.', 'P1M', [1, 'pending']),
      cancel('The customer cancels.'),
      charge('A minute later the charge turns out to be paid.', 'PT2M', [1, 'paid']),
      showSubscription('The second month has started, and no other follows.', 'auto_payment_off', 2),
    ],
  },
  'Void the second month': {
    type: 'subscription',
    steps: ({ charge, voidRenewed, showSubscription }) => [
      charge('A month passes: the second month is paid.', 'P1M', [1, 'paid']),
      voidRenewed('Void the second month.'),
      showSubscription('The subscription has ended, and the first month is still paid.', 'terminated', 2),
    ],
  },
  'Consume with a lost response': {
    type: 'one_time',
    faults: [{ operation: 'consumePurchase', cut: 'after', times: 1 }],
    steps: ({ backend, showPurchase }) => [
      backend(
        'consumePurchase',
        undefined,
        'The purchase is consumed, but the connection closes without a response.',
      ),
      backend('consumePurchase', 409, 'The retry gets 9201: already consumed. That is a success.'),
      showPurchase('The purchase is consumed once.', 'consumed'),
    ],
  },
  'Token expires midway': {
    type: 'one_time',
    steps: ({ backend, endToken }) => [
      backend('getPurchaseDetails', 200, 'A first call succeeds.'),
      endToken('The token expires now.'),
      backend(
        'getPurchaseDetails',
        401,
        'The next call with the same token gets 401: request a new token, and retry.',
      ),
      backend('getPurchaseDetails', 200, 'With the new token it succeeds.'),
    ],
  },
  '503 twice': {
    type: 'one_time',
    faults: [{ operation: 'getPurchaseDetails', httpStatus: 503, times: 2 }],
    steps: ({ backend }) => [
      backend('getPurchaseDetails', 503, 'The call gets 503: retry it.'),
      backend('getPurchaseDetails', 503, 'The second attempt gets 503 too.'),
      backend('getPurchaseDetails', 200, 'The third attempt succeeds.'),
    ],
  },
};

export const scenarioNames = Object.keys(scenarios);
