// The operations of the contract by API, each in the same shape.

import { developerOperations } from '../packages/contract/src/developer-api.ts';
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
  readonly acrossApps?: true;
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

const developerErrors = [...commonErrors, ...protocolErrors];

const withResponses = <Declared extends { readonly response: object }>(operation: Declared) => ({
  ...operation,
  responses: { 200: operation.response },
});

/** The token endpoint takes a form and no token. */
const tokenEndpoint = { body: AccessTokenRequest, takesForm: true, signsIn: true } as const;

export const apiReferences: readonly ApiReference[] = [
  {
    ...referenceOf('purchase', 'docs/client.md', purchaseOperations.map(withPurchaseForm), developerErrors),
    alwaysTyped: true,
  },
  referenceOf('events', 'docs/events.md', eventsOperations.map(withResponses), developerErrors),
  referenceOf('developer', 'docs/developer-api.md', developerOperations.sandbox, [
    ...commonProblems,
    ...protocolErrors,
  ]),
  referenceOf('operator', 'docs/operating.md', operatorOperations, [...commonProblems, ...protocolProblems]),
];

function withPurchaseForm(operation: (typeof purchaseOperations)[number]) {
  const isToken = operation.operationId === getAccessToken.operationId;
  return { ...withResponses(operation), ...(isToken && tokenEndpoint) };
}

/** The schemas of TypeBox in the operations are plain JSON Schema, which its types hide. */
function referenceOf(
  name: keyof typeof apis,
  manual: string,
  operations: readonly object[],
  commonErrors: readonly ErrorName[],
): ApiReference {
  const isOperator = name === 'operator';
  return {
    tag: apis[name].tag,
    folder: `reference/${name}-api`,
    prefix: name === 'events' || name === 'developer' ? `${name}.` : '',
    manual,
    url: `http://127.0.0.1:${isOperator ? 8081 : 8080}`,
    key: isOperator ? '$OPERATOR_KEY' : '$TOKEN',
    operations: operations as readonly Operation[],
    commonErrors,
  };
}

/** The page of an error is named like the problem type that its responses carry. */
export const errorPath = (name: ErrorName): string =>
  `reference/errors/${errors[name].type.replace(/^.*#/, '')}.md`;

export const operationPath = ({ folder }: ApiReference, { operationId }: Operation): string =>
  `${folder}/${operationId}.md`;
