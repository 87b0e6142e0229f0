// The OpenAPI 3.1 document of all four APIs, made from the schemas that the server checks calls against and
// from the tables that its errors come from. Nothing of a running server is in it.

import type { EventsOperation } from '@opentill/contract/events-api/events-operation.ts';
import { PurchaseApiError } from '@opentill/contract/failures.ts';
import { eventsOperations, operatorOperations, purchaseOperations } from '@opentill/contract/operations.ts';
import type { OperatorOperation } from '@opentill/contract/operator-api/operator-operation.ts';
import { Problem } from '@opentill/contract/problems.ts';
import { AccessTokenRequest, getAccessToken } from '@opentill/contract/purchase-api/getAccessToken.ts';
import type { PurchaseOperation } from '@opentill/contract/purchase-api/purchase-operation.ts';
import { type SandboxOperation, sandboxOperations } from '@opentill/contract/sandbox-api.ts';
import type { OpenAPIV3_1 } from 'openapi-types';
import type { TSchema } from 'typebox';
import { type Api, apis, info, operatorListener, publicListener, securitySchemes } from './openapi-apis.ts';
import { exampleOf, exampleOfField } from './openapi-examples.ts';
import { type ErrorComponents, errorComponents, headerReferences, headers } from './openapi-responses.ts';
import { type SchemaComponents, schemaComponents } from './openapi-schemas.ts';
import { openApiWebhooks } from './openapi-webhooks.ts';

type Operation = OpenAPIV3_1.OperationObject;

/** The components that operations refer to, gathered while the operations are described. */
interface Components {
  readonly schemas: SchemaComponents;
  readonly errors: ErrorComponents;
}

export function openApiDocument(): OpenAPIV3_1.Document {
  const components: Components = { schemas: schemaComponents(), errors: errorComponents() };
  // The error responses refer to these by name.
  for (const schema of [PurchaseApiError, Problem]) components.schemas.place(schema);
  const paths: Record<string, OpenAPIV3_1.PathItemObject> = {};
  const add = (
    { path, method }: { readonly path: string; readonly method: string },
    api: Api,
    operation: Operation,
  ): void => {
    const template = path.replaceAll(/:(\w+)/g, '{$1}');
    paths[template] = { servers: [api.server], ...paths[template], [method.toLowerCase()]: operation };
  };
  for (const declared of purchaseOperations) {
    add(declared, apis.purchase, purchaseOperation(declared, components));
  }
  for (const declared of eventsOperations) {
    add(declared, apis.events, eventsOperation(declared, components));
  }
  for (const declared of sandboxOperations) {
    add(declared, apis.sandbox, sandboxOperation(declared, components));
  }
  for (const declared of operatorOperations) {
    add(declared, apis.operator, operatorOperation(declared, components));
  }
  return {
    openapi: '3.1.0',
    info,
    servers: [publicListener, operatorListener],
    tags: Object.values(apis).map(({ tag }) => tag),
    paths,
    webhooks: openApiWebhooks(components.schemas),
    components: {
      schemas: components.schemas.collected() as Record<string, OpenAPIV3_1.SchemaObject>,
      responses: components.errors.collected(),
      headers,
      securitySchemes,
    },
  };
}

function purchaseOperation(declared: PurchaseOperation, { schemas, errors }: Components): Operation {
  const { operationId, summary, response, failures } = declared;
  const isTokenEndpoint = operationId === getAccessToken.operationId;
  return {
    operationId,
    summary,
    tags: [apis.purchase.tag.name],
    security: isTokenEndpoint ? [] : [...apis.purchase.security],
    ...parameters(declared, schemas),
    ...(isTokenEndpoint && {
      requestBody: requestBody(AccessTokenRequest, 'application/x-www-form-urlencoded', schemas),
    }),
    responses: {
      '200': success('Success.', response, schemas),
      ...errors.ofFailures(failures),
    },
  };
}

/** Named apart from the operator operation that does the same work: an operationId is unique in a document. */
function eventsOperation(declared: EventsOperation, { schemas, errors }: Components): Operation {
  const { operationId, summary, description, response, failures } = declared;
  return {
    operationId: `events.${operationId}`,
    summary,
    description,
    tags: [apis.events.tag.name],
    security: [...apis.events.security],
    ...parameters(declared, schemas),
    responses: { '200': success('Success.', response, schemas), ...errors.ofFailures(failures) },
  };
}

/** Named apart like those of the events API. */
function sandboxOperation(declared: SandboxOperation, { schemas, errors }: Components): Operation {
  const { operationId, problems, description } = declared;
  return {
    operationId: `sandbox.${operationId}`,
    tags: [apis.sandbox.tag.name],
    security: [...apis.sandbox.security],
    ...managementCall(declared, [description], schemas),
    responses: { ...successes(declared, schemas), ...errors.ofProblems(problems, 'public') },
  };
}

function operatorOperation(declared: OperatorOperation, { schemas, errors }: Components): Operation {
  const { operationId, problems, roles, description, sandboxOnly } = declared;
  const environment = sandboxOnly === true ? 'In the sandbox environment only.' : undefined;
  return {
    operationId,
    tags: [apis.operator.tag.name],
    security: [...apis.operator.security],
    ...managementCall(declared, [description, environment, `Roles: ${roles.join(', ')}.`], schemas),
    responses: { ...successes(declared, schemas), ...errors.ofProblems(problems, 'operator') },
  };
}

/** What the operations of the sandbox API and the operator API have in common. */
function managementCall(
  declared: SandboxOperation,
  descriptions: readonly (string | undefined)[],
  schemas: SchemaComponents,
): Pick<Operation, 'summary' | 'description' | 'parameters' | 'requestBody'> {
  const { summary, body, bodyOptional } = declared;
  const description = descriptions.filter((text) => text !== undefined).join('\n\n');
  return {
    summary,
    ...(description !== '' && { description }),
    ...parameters(declared, schemas),
    ...(body !== undefined && {
      requestBody: { ...requestBody(body, 'application/json', schemas), required: bodyOptional !== true },
    }),
  };
}

function requestBody(
  schema: TSchema,
  contentType: string,
  schemas: SchemaComponents,
): OpenAPIV3_1.RequestBodyObject {
  const example = exampleOf(schema, 'whole');
  return { required: true, content: { [contentType]: { schema: schemas.place(schema), example } } };
}

interface QuerySchema {
  readonly properties: Readonly<Record<string, TSchema>>;
  readonly required: readonly string[];
}

function parameters(
  { pathParameters, query }: Pick<PurchaseOperation, 'pathParameters' | 'query'>,
  schemas: SchemaComponents,
): Pick<Operation, 'parameters'> {
  const { properties = {}, required = [] } = (query ?? {}) as Partial<QuerySchema>;
  const all = [
    ...Object.entries(pathParameters).map(([name, schema]) =>
      parameter({ name, in: 'path', required: true }, schema, schemas),
    ),
    ...Object.entries(properties).map(([name, schema]) =>
      parameter({ name, in: 'query', required: required.includes(name) }, schema, schemas),
    ),
  ];
  return all.length === 0 ? {} : { parameters: all };
}

function parameter(
  named: { readonly name: string; readonly in: 'path' | 'query'; readonly required: boolean },
  schema: TSchema,
  schemas: SchemaComponents,
): OpenAPIV3_1.ParameterObject {
  const { description, ...placed } = schemas.place(schema) as { readonly description?: string };
  const example = named.in === 'path' ? exampleOfField(named.name, schema) : undefined;
  return {
    ...named,
    ...(description !== undefined && { description }),
    schema: placed,
    ...(example !== undefined && { example }),
  };
}

const successTexts: Readonly<Record<string, string>> = {
  200: 'Success.',
  201: 'Made by this call.',
  204: 'Done; there is nothing to say.',
};

function successes({ responses }: SandboxOperation, schemas: SchemaComponents): Operation['responses'] {
  return Object.fromEntries(
    Object.entries(responses).map(([status, schema]) => {
      const text = successTexts[status] ?? 'Success.';
      if (status !== '204') return [status, success(text, schema, schemas)];
      const { description = text } = schema as { readonly description?: string };
      return [status, { description, headers: headerReferences('x-request-id') }];
    }),
  );
}

function success(
  description: string,
  schema: TSchema,
  schemas: SchemaComponents,
): OpenAPIV3_1.ResponseObject {
  return {
    description,
    headers: headerReferences('x-request-id'),
    content: {
      'application/json': { schema: schemas.place(schema), example: exampleOf(schema, 'ordinary') },
    },
  };
}
