// The operations of the contract by API, each in the same shape.

import {
  commonErrors,
  commonProblems,
  type ErrorName,
  errors,
  protocolErrors,
  protocolProblems,
} from '../packages/contract/src/errors.ts';
import {
  eventsOperations,
  operatorOperations,
  purchaseOperations,
} from '../packages/contract/src/operations.ts';
import { AccessTokenRequest, getAccessToken } from '../packages/contract/src/purchase-api/getAccessToken.ts';
import { sandboxOperations } from '../packages/contract/src/sandbox-api.ts';
import { type Api, apis } from '../packages/server/src/http/openapi/apis.ts';
import type { Schema } from './schema-fields.ts';

export interface Operation {
  readonly operationId: string;
  readonly method: string;
  readonly path: string;
  readonly summary: string;
  readonly description?: string;
  readonly pathParameters: Readonly<Record<string, Schema>>;
  readonly query?: Schema;
  readonly body?: Schema;
  readonly bodyOptional?: true;
  /** The body is a form instead of JSON. */
  readonly takesForm?: true;
  readonly responses: Readonly<Record<number, Schema>>;
  readonly errors: readonly ErrorName[];
  readonly roles?: readonly string[];
  readonly signsIn?: true;
  readonly sandboxOnly?: true;
  readonly storeWide?: true;
}

export interface ApiReference extends Pick<Api, 'tag'> {
  readonly folder: string;
  /** Without it, operations of two APIs have the same name. */
  readonly prefix: string;
  /** The page of the manual about this API. */
  readonly manual: string;
  /** The address in examples. */
  readonly url: string;
  readonly key: '$TOKEN' | '$OPERATOR_KEY';
  /** A call without a body has a content type, too. */
  readonly alwaysTyped?: true;
  readonly operations: readonly Operation[];
  /** Errors that any call can get. */
  readonly commonErrors: readonly ErrorName[];
}

const codes = [...commonErrors, ...protocolErrors];
const developer = { url: 'http://127.0.0.1:8080', key: '$TOKEN' } as const;

const withResponses = <Declared extends { readonly response: object }>(operation: Declared) => ({
  ...operation,
  responses: { 200: operation.response },
});

/** The schemas of TypeBox are plain JSON Schema, which its types hide. */
const plain = (operations: readonly object[]) => operations as readonly Operation[];

/** The token endpoint takes a form and no token. */
const tokenEndpoint = { body: AccessTokenRequest, takesForm: true, signsIn: true } as const;

export const apiReferences: readonly ApiReference[] = [
  {
    ...apis.purchase,
    ...developer,
    folder: 'reference/purchase-api',
    prefix: '',
    alwaysTyped: true,
    manual: 'docs/client.md',
    operations: plain(
      purchaseOperations.map((operation) => ({
        ...withResponses(operation),
        ...(operation.operationId === getAccessToken.operationId && tokenEndpoint),
      })),
    ),
    commonErrors: codes,
  },
  {
    ...apis.events,
    ...developer,
    folder: 'reference/events-api',
    prefix: 'events.',
    manual: 'docs/events.md',
    operations: plain(eventsOperations.map(withResponses)),
    commonErrors: codes,
  },
  {
    ...apis.sandbox,
    ...developer,
    folder: 'reference/sandbox-api',
    prefix: 'sandbox.',
    manual: 'docs/sandbox.md',
    operations: plain(sandboxOperations),
    commonErrors: [...commonProblems, ...protocolErrors],
  },
  {
    ...apis.operator,
    url: 'http://127.0.0.1:8081',
    key: '$OPERATOR_KEY',
    folder: 'reference/operator-api',
    prefix: '',
    manual: 'docs/operating.md',
    operations: plain(operatorOperations),
    commonErrors: [...commonProblems, ...protocolProblems],
  },
];

/** The page of an error is named like the problem type that its responses carry. */
export const errorPath = (name: ErrorName): string =>
  `reference/errors/${errors[name].type.replace(/^.*#/, '')}.md`;

export const operationPath = ({ folder }: ApiReference, { operationId }: Operation): string =>
  `${folder}/${operationId}.md`;
