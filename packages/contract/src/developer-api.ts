// Derives the developer API from the operator API: some of its operations for the app of the access token, with the fields
// and filters that developer-fields.ts lists.

import Type, { type Static, type TObject, type TProperties, type TSchema, type TUnsafe } from 'typebox';
import {
  type SandboxField,
  type Shown,
  type ShownOf,
  sandboxFields,
  shownFields,
  shownFilters,
} from './developer-fields.ts';
import { PublicAuthor } from './events.ts';
import { operatorOperations } from './operations.ts';
import type { OperatorOperation } from './operator-api/operator-operation.ts';

type DeclaredOperation = (typeof operatorOperations)[number];
type ExposedOperation = Extract<DeclaredOperation, { readonly inDeveloperApi: string }>;
type ExposedId = ExposedOperation['operationId'];

type DeveloperPath<Path extends string> = Path extends `/operator/v1/apps/:packageName/${infer Rest}`
  ? `/developer/v1/${Rest}`
  : Path extends '/operator/v1/apps/:packageName'
    ? '/developer/v1/app'
    : Path extends `/operator/v1/${infer Rest}`
      ? `/developer/v1/${Rest}`
      : never;

type FilterOf<Id> = Id extends keyof typeof shownFilters
  ? (typeof shownFilters)[Id][number] | SandboxField
  : never;

type DeveloperQuery<Operation extends ExposedOperation> = Operation extends {
  readonly query: TObject<infer Filters extends TProperties>;
}
  ? { readonly query: TObject<Pick<Filters, keyof Filters & FilterOf<Operation['operationId']>>> }
  : unknown;

type DeveloperResponses<Operation extends ExposedOperation> = {
  readonly [Status in keyof Operation['responses']]: Operation['responses'][Status] extends TSchema
    ? TUnsafe<ShownOf<Static<Operation['responses'][Status]>, (typeof shownFields)[Operation['operationId']]>>
    : never;
};

type OperatorOnly =
  | 'roles'
  | 'sandboxOnly'
  | 'inDeveloperApi'
  | 'acrossApps'
  | 'asCsv'
  | 'keyOnly'
  | 'signsIn';

/** Any operation of the developer API. */
export type DeveloperOperation = Omit<OperatorOperation, OperatorOnly>;

/** The operation of the developer API that is derived from `Operation`, with its exact types in the sandbox. */
type DeveloperForm<Operation extends ExposedOperation> = Omit<
  Operation,
  OperatorOnly | 'path' | 'pathParameters' | 'query' | 'responses' | 'errors'
> &
  DeveloperQuery<Operation> & {
    readonly path: DeveloperPath<Operation['path']>;
    readonly pathParameters: Omit<Operation['pathParameters'], 'packageName'>;
    readonly responses: DeveloperResponses<Operation>;
    readonly errors: DeveloperOperation['errors'];
  };

type Environment = 'sandbox' | 'production';

/** The header with the client secret, for operations that need it. */
export const clientSecretHeader = 'x-client-secret';

/** Where the words of the operator API are about several apps, or about roles. */
const words: { readonly [Id in ExposedId]?: Pick<DeveloperOperation, 'summary' | 'description'> } = {
  getPurchase: { summary: 'Read a purchase with its history' },
  listPurchases: {
    summary: 'List the purchases of the app, newest first',
    description:
      'The latest purchaseTime comes first, and from and to limit it; with the state voided, that of voidedTime.',
  },
  listSubscriptions: {
    summary: 'List the subscriptions of the app',
    description:
      'The latest startTime comes first. With nextPaymentFrom, nextPaymentBefore, awaitsConsent or the state paymentOutstanding, the earliest expiryTime comes first.',
  },
  getStatistics: {
    summary: 'Read what was sold, renewed and voided by time or product',
    description:
      'Counts and sums in each currency; currencies are never added. A sale counts by its purchaseTime and a void by its voidedTime, so that sales less voids are what remains of this time. What is counted is a few seconds old.',
  },
  getWebhook: { summary: 'Read the webhook of the app' },
};

/** The shown part of a schema; a named one that is not shown whole gets a name of its own. */
function shownSchema(schema: TSchema, shown: Shown, more: readonly string[]): TSchema {
  if (shown === true) return schema;
  if (shown === 'author') return asRequired(PublicAuthor, schema);
  if (Type.IsArray(schema)) {
    const { type: _type, items, ...options } = schema;
    const entry = shownSchema(items, shown, more);
    return entry === items ? schema : asRequired(Type.Array(entry, options), schema);
  }
  if (!Type.IsObject(schema)) return schema;
  const { type: _type, properties, required: _required, ...options } = schema;
  const names = Object.keys(properties).filter((name) => Object.hasOwn(shown, name) || more.includes(name));
  const own = names.map((name) => [
    name,
    shownSchema(properties[name] as TSchema, shown[name] ?? true, more),
  ]);
  const isWhole =
    names.length === Object.keys(properties).length &&
    own.every(([name, part]) => part === properties[name as string]);
  if (isWhole) return schema;
  const { $id } = options as { readonly $id?: string };
  const named = { ...options, ...($id !== undefined && { $id: `Developer${$id}` }) };
  return asRequired(Type.Object(Object.fromEntries(own) as TProperties, named), schema);
}

const asRequired = (part: TSchema, whole: TSchema): TSchema =>
  Type.IsOptional(whole) ? Type.Optional(part) : part;

function shownQuery({ properties }: TObject, filters: readonly string[]): TObject {
  const shown = Object.entries(properties).filter(([name]) => filters.includes(name));
  return Type.Object(Object.fromEntries(shown), { additionalProperties: false });
}

/** Removes the package name and the roles, because the access token identifies the app, and what is not listed. */
export function developerForm(declared: OperatorOperation, environment: Environment): DeveloperOperation {
  const { roles, sandboxOnly, inDeveloperApi, acrossApps, asCsv, keyOnly, signsIn, ...operation } = declared;
  const { packageName: _packageName, ...pathParameters } = declared.pathParameters;
  const id = declared.operationId as ExposedId;
  const more = environment === 'sandbox' ? sandboxFields : [];
  const filters: Readonly<Record<string, readonly string[]>> = shownFilters;
  const responses = Object.entries(declared.responses).map(([status, schema]) => [
    status,
    shownSchema(schema, shownFields[id], more),
  ]);
  const isForbidding = environment === 'production' && declared.needsClientSecret === true;
  return {
    ...operation,
    ...words[id],
    ...(operation.csvEntries && { asCsv }),
    path: declared.path
      .replace(/^\/operator\/v1\/(?:apps\/:packageName\/)?/, '/developer/v1/')
      .replace('/apps/:packageName', '/app'),
    pathParameters,
    ...(declared.query && { query: shownQuery(declared.query, [...(filters[id] ?? []), ...more]) }),
    responses: Object.fromEntries(responses),
    errors: declared.errors.filter((error) => error !== 'forbidden' || isForbidding),
  };
}

const declaredOperations: readonly OperatorOperation[] = operatorOperations;

/** The operations of production are in both environments; the sandbox has the controls for tests in addition. */
function operationsOf(environment: Environment): readonly DeveloperOperation[] {
  return declaredOperations
    .filter(
      ({ inDeveloperApi }) =>
        inDeveloperApi === 'both' || (inDeveloperApi === 'sandbox' && environment === 'sandbox'),
    )
    .map((operation) => developerForm(operation, environment));
}

/** The operations of the developer API in each environment, in the order of the operator API. */
export const developerOperations: Readonly<Record<Environment, readonly DeveloperOperation[]>> = {
  sandbox: operationsOf('sandbox'),
  production: operationsOf('production'),
};

/** The operations of the sandbox by operationId: all of them. */
export const developerApi = Object.fromEntries(
  developerOperations.sandbox.map((operation) => [operation.operationId, operation]),
) as unknown as {
  readonly [Operation in ExposedOperation as Operation['operationId']]: DeveloperForm<Operation>;
};
