// The parameter and response types of all calls, derived from the contract; there is no code at run time.

import type { developerApi } from '@opentill/contract/developer-api.ts';
import type {
  eventsOperations,
  operatorOperations,
  purchaseOperations,
} from '@opentill/contract/operations.ts';
import type { Static, TSchema } from 'typebox';
import type { CallOptions } from './call-options.ts';

export type { Action } from '@opentill/contract/actions.ts';
export type { AppClock, AppClockWithStops, ClockAdvance } from '@opentill/contract/clock-resources.ts';
export type { Problem } from '@opentill/contract/errors.ts';
export type { EventPage } from '@opentill/contract/event-feed.ts';
export type { Event } from '@opentill/contract/events.ts';
export type { Faults, NewFault } from '@opentill/contract/faults.ts';
export type { LoggedRequest } from '@opentill/contract/logged-request.ts';
export type { ConsoleLink } from '@opentill/contract/operator-api/createConsoleLink.ts';
export type { TokenLife } from '@opentill/contract/operator-api/putToken.ts';
export type {
  App,
  ClientCredentials,
  ListedSubscription,
  NewApp,
  Product,
  Purchase,
  Subscription,
  SubscriptionEvent,
} from '@opentill/contract/operator-resources.ts';
export type { PurchaseWithHistory } from '@opentill/contract/purchase-with-history.ts';
export type { Attempt, Renewals } from '@opentill/contract/renewals.ts';
export type {
  AccessTokenResponse,
  ConsumptionResult,
  LastRecurringPurchaseDetails,
  PaymentStatusChange,
  PurchaseDetails,
  RecurringPurchaseDetails,
  VoidedPurchase,
  VoidedPurchases,
} from '@opentill/contract/resources.ts';
export type { Session } from '@opentill/contract/sessions.ts';
export type { Statement, StatementOfProducts } from '@opentill/contract/statements.ts';
export type { Delivery } from '@opentill/contract/webhooks.ts';

interface Operation {
  readonly operationId: string;
  readonly path: string;
  readonly pathParameters: Readonly<Record<string, TSchema>>;
}

type Simplified<Shape> = { [Name in keyof Shape]: Shape[Name] } & {};

/** Optional parameters may also be undefined, which does not send them. */
type Taken<Shape> = {
  -readonly [Name in keyof Shape]: object extends Pick<Shape, Name> ? Shape[Name] | undefined : Shape[Name];
};

type PathOf<Op extends Operation> = {
  [Name in keyof Op['pathParameters']]: Static<Op['pathParameters'][Name]>;
};
type QueryOf<Op> = Op extends { readonly query: infer Query extends TSchema } ? Static<Query> : unknown;

/** A body that is a list is passed under the last word of the path. */
type BodyOf<Op extends Operation> = Op extends { readonly body: infer Body extends TSchema }
  ? Static<Body> extends readonly (infer Entry)[]
    ? Record<LastWord<Op['path']>, readonly Taken<Entry>[]>
    : Static<Body>
  : unknown;
type LastWord<Path extends string> = Path extends `${string}/${infer Rest}` ? LastWord<Rest> : Path;

type ParametersOf<Op extends Operation> = Simplified<Taken<PathOf<Op> & QueryOf<Op> & BodyOf<Op>>>;

/** The body of any successful response; undefined for 204. */
type ResponseOf<Op> = Op extends { readonly responses: infer Responses }
  ? {
      [Status in keyof Responses]: Status extends 204 ? undefined : Static<Responses[Status] & TSchema>;
    }[keyof Responses]
  : never;

type MethodOf<Op extends Operation> =
  object extends ParametersOf<Op>
    ? (parameters?: ParametersOf<Op>, options?: CallOptions) => Promise<ResponseOf<Op>>
    : (parameters: ParametersOf<Op>, options?: CallOptions) => Promise<ResponseOf<Op>>;

type MethodsOf<Operations extends readonly Operation[]> = {
  [Op in Operations[number] as Op['operationId']]: MethodOf<Op>;
};

/** The operations of the operator API by operationId. */
export type OperatorOperations = MethodsOf<typeof operatorOperations>;

/** The operations of the developer API by operationId. */
export type DeveloperOperations = MethodsOf<(typeof developerApi)[keyof typeof developerApi][]>;

type PurchaseOperation<Id> = Extract<(typeof purchaseOperations)[number], { readonly operationId: Id }>;

/** The client adds the package name, and instants are numbers as in responses. */
type PurchaseParametersOf<Id> = Simplified<
  Taken<
    Omit<PathOf<PurchaseOperation<Id>>, 'packageName'> & {
      [Name in keyof QueryOf<PurchaseOperation<Id>>]: Name extends 'startTime' | 'endTime'
        ? number
        : QueryOf<PurchaseOperation<Id>>[Name];
    }
  >
>;

export type GetPurchaseDetailsParameters = PurchaseParametersOf<'getPurchaseDetails'>;
export type GetPurchaseDetailsByProductIdParameters = PurchaseParametersOf<'getPurchaseDetailsByProductId'>;
export type GetRecurringPurchaseDetailsParameters = PurchaseParametersOf<'getRecurringPurchaseDetails'>;
export type GetLastRecurringPurchaseDetailsParameters =
  PurchaseParametersOf<'getLastRecurringPurchaseDetails'>;
export type ManageRecurringPaymentStatusParameters = PurchaseParametersOf<'manageRecurringPaymentStatus'>;
export type GetVoidedPurchasesParameters = PurchaseParametersOf<'getVoidedPurchases'>;
export type ConsumePurchaseParameters = PurchaseParametersOf<'consumePurchase'>;
export type ListEventsParameters = ParametersOf<(typeof eventsOperations)[0]>;
