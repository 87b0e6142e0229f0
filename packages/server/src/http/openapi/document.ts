// The OpenAPI 3.1 document of all four APIs: @fastify/swagger makes it from an instance of Fastify that has a route for
// each operation of the contract and never listens.

import swagger from '@fastify/swagger';
import { Problem, PurchaseApiError } from '@opentill/contract/errors.ts';
import { eventSchemas } from '@opentill/contract/events.ts';
import { eventsOperations, operatorOperations, purchaseOperations } from '@opentill/contract/operations.ts';
import type { OperatorOperation } from '@opentill/contract/operator-api/operator-operation.ts';
import { AccessTokenRequest, getAccessToken } from '@opentill/contract/purchase-api/getAccessToken.ts';
import { type SandboxOperation, sandboxOperations } from '@opentill/contract/sandbox-api.ts';
import Fastify, { type FastifyInstance } from 'fastify';
import type { OpenAPIV3_1 } from 'openapi-types';
import type { TSchema } from 'typebox';
import { type Api, apis, info, securitySchemes } from './apis.ts';
import { codeResponses, problemResponses, successes } from './responses.ts';
import { openApiWebhooks } from './webhooks.ts';

interface Declared {
  readonly operationId: string;
  readonly method: string;
  readonly path: string;
  readonly summary: string;
  readonly description?: string;
  readonly pathParameters: Readonly<Record<string, TSchema>>;
  readonly query?: TSchema;
  readonly body?: TSchema;
  readonly bodyOptional?: true;
}

export async function openApiDocument(): Promise<OpenAPIV3_1.Document> {
  const server = Fastify({ exposeHeadRoutes: false });
  server.setValidatorCompiler(() => () => true);
  server.setSerializerCompiler(() => JSON.stringify);
  await server.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info,
      servers: [apis.purchase.server, apis.operator.server],
      tags: Object.values(apis).map(({ tag }) => tag),
      webhooks: openApiWebhooks(),
      components: { securitySchemes },
    },
    convertConstToEnum: false,
    refResolver: { buildLocalReference: (json) => String(json['$id']) },
  });
  for (const schema of [PurchaseApiError, Problem, ...eventSchemas]) withReferences(server, schema);
  addOperations(server);
  await server.ready();
  const document = server.swagger() as OpenAPIV3_1.Document;
  await server.close();
  markOptionalBodies(document);
  return document;
}

/** Fastify requires every body that has a schema. */
function markOptionalBodies({ paths = {} }: OpenAPIV3_1.Document): void {
  for (const { path, method, bodyOptional } of [...operatorOperations, ...sandboxOperations] as Declared[]) {
    const item = paths[path.replaceAll(/:(\w+)/g, '{$1}')];
    const body = item?.[method.toLowerCase() as OpenAPIV3_1.HttpMethods]?.requestBody;
    if (bodyOptional === true && body !== undefined) Object.assign(body, { required: false });
  }
}

/** An operationId is unique in a document: an operation that two APIs have is prefixed in all but the operator API. */
function addOperations(server: FastifyInstance): void {
  for (const declared of purchaseOperations) {
    const isTokenEndpoint = declared.operationId === getAccessToken.operationId;
    addOperation(server, apis.purchase, declared, {
      ...(isTokenEndpoint && {
        security: [],
        body: AccessTokenRequest,
        consumes: ['application/x-www-form-urlencoded'],
      }),
      response: { ...successes({ 200: declared.response }), ...codeResponses(declared.errors) },
    });
  }
  for (const declared of eventsOperations) {
    addOperation(server, apis.events, declared, {
      operationId: `events.${declared.operationId}`,
      response: { ...successes({ 200: declared.response }), ...codeResponses(declared.errors) },
    });
  }
  for (const declared of sandboxOperations as readonly SandboxOperation[]) {
    addOperation(server, apis.sandbox, declared, {
      operationId: `sandbox.${declared.operationId}`,
      response: { ...successes(declared.responses), ...problemResponses(declared.errors) },
    });
  }
  for (const declared of operatorOperations as readonly OperatorOperation[]) {
    const { description, sandboxOnly, roles, responses, errors } = declared;
    const environment = sandboxOnly === true ? ['Only in the sandbox environment.'] : [];
    const texts = [description, ...environment, `Roles: ${roles.join(', ')}.`];
    addOperation(server, apis.operator, declared, {
      description: texts.filter((text) => text !== undefined).join('\n\n'),
      response: { ...successes(responses), ...problemResponses(errors) },
    });
  }
}

function addOperation(server: FastifyInstance, api: Api, declared: Declared, own: object): void {
  const { operationId, method, path: url, summary, description, pathParameters, query, body } = declared;
  const schema = {
    operationId,
    summary,
    ...(description !== undefined && { description }),
    tags: [api.tag.name],
    servers: [api.server],
    security: api.security,
    ...(Object.keys(pathParameters).length > 0 && { params: { type: 'object', properties: pathParameters } }),
    ...(query !== undefined && { querystring: query }),
    ...(body !== undefined && { body }),
    ...own,
  };
  server.route({ method, url, schema: withReferences(server, schema), handler: (_request, reply) => reply });
}

/** Replaces each schema that has a name with a reference to it, and each choice of constants with an enum. */
function withReferences<Value extends object>(server: FastifyInstance, value: Value): Value {
  return JSON.parse(JSON.stringify(value), (_key, part) => {
    if (Array.isArray(part?.anyOf) && part.anyOf.every((choice: object) => 'const' in choice)) {
      const { anyOf, ...rest } = part;
      return { type: anyOf[0].type, enum: anyOf.map((choice: { const: unknown }) => choice.const), ...rest };
    }
    if (typeof part?.$id !== 'string') return part;
    if (server.getSchema(part.$id) === undefined) server.addSchema(part);
    return { $ref: `${part.$id}#` };
  });
}
