// The APIs of the contract with their operations in one shape, for the OpenAPI documents and the site.

import { developerOperations } from '../../packages/contract/src/developer-api.ts';
import {
  commonErrors,
  commonProblems,
  type ErrorName,
  protocolErrors,
  protocolProblems,
} from '../../packages/contract/src/errors.ts';
import {
  eventsOperations,
  operatorOperations,
  purchaseOperations,
} from '../../packages/contract/src/operations.ts';
import type { JsonSchema } from '../../packages/contract/src/parameters.ts';
import {
  AccessTokenRequest,
  getAccessToken,
} from '../../packages/contract/src/purchase-api/getAccessToken.ts';

export interface Operation {
  readonly operationId: string;
  readonly method: string;
  readonly path: string;
  readonly summary: string;
  readonly description?: string;
  readonly pathParameters: Readonly<Record<string, JsonSchema>>;
  readonly query?: JsonSchema;
  readonly body?: JsonSchema;
  readonly bodyOptional?: true;
  /** The body is a form instead of JSON. */
  readonly takesForm?: true;
  readonly responses: Readonly<Record<number, JsonSchema>>;
  readonly errors: readonly ErrorName[];
  readonly roles?: readonly string[];
  readonly signsIn?: true;
  readonly sandboxOnly?: true;
  readonly acrossApps?: true;
  readonly asCsv?: true;
  readonly needsClientSecret?: true;
}

export type ApiName = 'purchase' | 'events' | 'developer' | 'operator';

export interface Api {
  readonly name: ApiName;
  readonly title: string;
  readonly description: string;
  /** Without it, operations of two APIs would have the same name. */
  readonly prefix: string;
  readonly listener: 'public' | 'operator';
  /** A call without a body has a content type, too. */
  readonly alwaysTyped?: true;
  readonly operations: readonly Operation[];
  /** Whether errors are problem details instead of `{"error":{...}}`. */
  readonly hasProblems: boolean;
  /** Errors that any call can get. */
  readonly commonErrors: readonly ErrorName[];
}

const withResponses = <Declared extends { readonly response: object }>(operation: Declared) => ({
  ...operation,
  responses: { 200: operation.response },
});

/** The token endpoint takes a form and no token. */
const tokenEndpoint = { body: AccessTokenRequest, takesForm: true, signsIn: true } as const;

function withTokenForm(operation: (typeof purchaseOperations)[number]) {
  const isToken = operation.operationId === getAccessToken.operationId;
  return { ...withResponses(operation), ...(isToken && tokenEndpoint) };
}

/** TypeBox schemas are plain JSON JsonSchema, which their types hide. */
const plain = (operations: readonly object[]): readonly Operation[] => operations as readonly Operation[];

const developerErrors = [...commonErrors, ...protocolErrors];

export const purchaseApi: Api = {
  name: 'purchase',
  title: 'Purchase API',
  description:
    "For a developer's backend. Every call except getAccessToken carries `Authorization: Bearer <access token>` and `Content-Type: application/json`, with no body. Times are in milliseconds.",
  prefix: '',
  listener: 'public',
  alwaysTyped: true,
  operations: plain(purchaseOperations.map(withTokenForm)),
  hasProblems: false,
  commonErrors: developerErrors,
};

export const eventsApi: Api = {
  name: 'events',
  title: 'Events API',
  description:
    "For a developer's backend, in both environments: the changes of its purchases and subscriptions, in order and each once. Webhooks carry the same events.",
  prefix: 'events.',
  listener: 'public',
  operations: plain(eventsOperations.map(withResponses)),
  hasProblems: false,
  commonErrors: developerErrors,
};

const developerApiIn = (environment: keyof typeof developerOperations): Api => ({
  name: 'developer',
  title: 'Developer API',
  description:
    'What developers do for their app without the store: in production as far as the store has opened it, in a sandbox with what the store and time do otherwise. Errors are RFC 9457 problem details with the `error` of the purchase API.',
  prefix: 'developer.',
  listener: 'public',
  operations: plain(developerOperations[environment]),
  hasProblems: true,
  commonErrors: [...commonProblems, ...protocolErrors],
});

export const productionDeveloperApi = developerApiIn('production');

/** That of the sandbox, which has every operation. */
export const developerApi = developerApiIn('sandbox');

export const operatorApi: Api = {
  name: 'operator',
  title: 'Operator API',
  description:
    'For the store: its checkout, its support and its administrators. Each key has a role; an operation lists the roles that may call it. Lists are paged: send the `nextPageToken` of a page as the `pageToken` of the next. Errors are RFC 9457 problem details.',
  prefix: '',
  listener: 'operator',
  operations: plain(operatorOperations),
  hasProblems: true,
  commonErrors: [...commonProblems, ...protocolProblems],
};

export const apis = [purchaseApi, eventsApi, developerApi, operatorApi] as const;
