// The OpenAPI 3.1 documents of the APIs, from the contract and from recorded examples.

import type { OpenAPIV3_1 } from 'openapi-types';
import packageJson from '../../packages/contract/package.json' with { type: 'json' };
import { eventSchemas } from '../../packages/contract/src/events.ts';
import type { JsonSchema } from '../../packages/contract/src/parameters.ts';
import {
  type Api,
  apis,
  developerApi,
  eventsApi,
  type Operation,
  operatorApi,
  productionDeveloperApi,
  purchaseApi,
} from './apis.ts';
import { secretParameters } from './client-secret.ts';
import { errorSection, errorsResponse } from './error-responses.ts';
import { eventExamples, exampleOf, partsOf } from './examples.ts';
import { guides, guidesOf, linkToGuide } from './guides.ts';
import { clientSample, curlSample } from './samples.ts';
import { SchemaReferences } from './schema-references.ts';

/** Who reads a document: it has the APIs that they may call. `everyone` has it without a server, in a package. */
const audiences = {
  developer: [purchaseApi, eventsApi, developerApi],
  productionDeveloper: [purchaseApi, eventsApi, productionDeveloperApi],
  productionOperator: [purchaseApi, eventsApi, productionDeveloperApi, operatorApi],
  sandboxOperator: apis,
  everyone: apis,
} as const satisfies Record<string, readonly Api[]>;

export type Audience = keyof typeof audiences;

/** The listener that serves the document, whose calls therefore have the same origin. */
const servedBy: Readonly<Record<Audience, Api['listener'] | undefined>> = {
  developer: 'public',
  productionDeveloper: 'public',
  productionOperator: 'operator',
  sandboxOperator: 'operator',
  everyone: undefined,
};

const listener = (description: string, address: string): OpenAPIV3_1.ServerObject => ({
  url: '{scheme}://{address}',
  description,
  variables: { scheme: { enum: ['http', 'https'], default: 'http' }, address: { default: address } },
});

const listeners = {
  public: listener('The public listener', '127.0.0.1:8080'),
  operator: listener('The operator listener', '127.0.0.1:8081'),
};

/** The schemes of the listeners. */
const securitySchemes = {
  public: {
    accessToken: {
      type: 'http',
      scheme: 'bearer',
      description: 'The access token of an app, from getAccessToken.',
    },
  },
  operator: {
    operatorKey: {
      type: 'http',
      scheme: 'bearer',
      description: 'A key of OPENTILL_OPERATOR_KEYS, or the one in operator.key of the data folder.',
    },
  },
} as const satisfies Record<Api['listener'], Record<string, OpenAPIV3_1.SecuritySchemeObject>>;

const introduction =
  'An in-app purchase server. Every response has the headers `x-request-id`, which identifies the call in the log of the server, and `cache-control: no-store`.';

export function openApiDocument(audience: Audience): OpenAPIV3_1.Document {
  const described: readonly Api[] = audiences[audience];
  const references = new SchemaReferences();
  const own = servedBy[audience];
  const serverOf = ({ listener }: Api): OpenAPIV3_1.ServerObject =>
    listener === own ? { url: '/', description: 'This server' } : listeners[listener];
  const used = new Set(described.map(({ listener }) => listener));
  const paths = pathsOf(described, { references, serverOf: used.size > 1 ? serverOf : undefined });
  const webhooks = openApiWebhooks(references);
  return {
    openapi: '3.1.0',
    info: {
      title: 'OpenTill',
      version: packageJson.version,
      description: [introduction, guideSection(used), errorSection(described)].join('\n\n'),
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [...new Map(described.map((api) => [api.listener, serverOf(api)])).values()],
    tags: described.map(({ title, description }) => ({ name: title, description })),
    paths,
    webhooks,
    components: {
      securitySchemes: Object.assign({}, ...[...used].map((name) => securitySchemes[name])),
      schemas: references.schemas(),
    },
  };
}

interface Paths {
  readonly references: SchemaReferences;
  /** Given if the APIs are on different listeners. */
  readonly serverOf: ((api: Api) => OpenAPIV3_1.ServerObject) | undefined;
}

function pathsOf(described: readonly Api[], { references, serverOf }: Paths): OpenAPIV3_1.PathsObject {
  const paths: Record<string, Record<string, object>> = {};
  for (const api of described) {
    for (const operation of api.operations) {
      if (operation.sandboxOnly === true && !described.includes(developerApi)) continue;
      const path = operation.path.replaceAll(/:(\w+)/g, '{$1}');
      const declared = operationObject(api, operation, references);
      paths[path] = {
        ...paths[path],
        [operation.method.toLowerCase()]: { ...declared, ...(serverOf && { servers: [serverOf(api)] }) },
      };
    }
  }
  return paths as OpenAPIV3_1.PathsObject;
}

function guideSection(used: ReadonlySet<Api['listener']>): string {
  const links = guides
    .filter(({ listener }) => used.has(listener))
    .map((guide) => `- ${linkToGuide(guide)}\n`);
  return `## Guides\n\n${links.join('')}`;
}

function operationObject(api: Api, operation: Operation, references: SchemaReferences): object {
  const { operationId, summary, signsIn } = operation;
  const example = exampleOf(api, operation);
  const parts = partsOf(operation, example.parameters);
  const description = descriptionOf(api, operation);
  const requestBody = bodyOf(api, operation, { example: parts.body, references });
  const parameters = parametersOf(api, operation, { ...parts.path, ...parts.query }, references);
  const sampled = [api, operation, example.parameters] as const;
  return {
    operationId: api.prefix + operationId,
    summary,
    ...(description !== '' && { description }),
    tags: [api.title],
    security:
      signsIn === true ? [] : Object.keys(securitySchemes[api.listener]).map((name) => ({ [name]: [] })),
    ...(parameters.length > 0 && { parameters }),
    ...(requestBody !== undefined && { requestBody }),
    responses: {
      ...successes(operation, example.responses, references),
      default: errorsResponse(api, operation, references),
    },
    'x-codeSamples': [
      { lang: 'shell', label: 'curl', source: curlSample(...sampled) },
      { lang: 'typescript', label: 'TypeScript client', source: clientSample(...sampled) },
    ],
  };
}

interface Body {
  readonly example: unknown;
  readonly references: SchemaReferences;
}

/** OpenAPI ignores a header parameter named Content-Type; generators send the media type of a body, also without a body. */
const noBody: OpenAPIV3_1.RequestBodyObject = {
  required: false,
  description: 'None: only the `Content-Type` is required.',
  content: { 'application/json': { schema: { type: 'object', maxProperties: 0 } } },
};

function bodyOf(
  { alwaysTyped }: Api,
  { body, bodyOptional, takesForm }: Operation,
  { example, references }: Body,
): object | undefined {
  if (body === undefined) return alwaysTyped === true ? noBody : undefined;
  const mediaType = takesForm === true ? 'application/x-www-form-urlencoded' : 'application/json';
  const content = { schema: references.of(body, [example]), ...(example !== undefined && { example }) };
  return { required: bodyOptional !== true, content: { [mediaType]: content } };
}

/** For operations `asCsv`. */
const csvText =
  'With `Accept: text/csv`, the response is a file with all entries, whatever the page, as far as they are single values. Instants are in ISO 8601, amounts in the digits of their currency, and a text that a spreadsheet would read as a formula or a number begins with an apostrophe. Each file is an action. A session, key or app takes one at a time, otherwise it gets 429. A connection that ends without the last chunk has cut the file.';

const csvPreference = {
  ...{ name: 'prefer', in: 'header', required: false, schema: { type: 'string' } },
  example: 'timezone=Asia/Seoul',
  description: 'The time zone of the instants in a file, by default that of the store (RFC 7240).',
};

const neededNodes =
  'If the call is for all apps and the database is a cluster, it gets 503 while a node is away.';

function descriptionOf(api: Api, operation: Operation): string {
  const { description, sandboxOnly, acrossApps, asCsv, signsIn, roles } = operation;
  const texts = [description];
  if (asCsv === true) texts.push(csvText);
  if (api === operatorApi) {
    if (sandboxOnly === true) texts.push('Only in the sandbox environment.');
    if (acrossApps === true) texts.push(neededNodes);
    texts.push(signsIn === true ? 'No key is needed.' : `Roles: ${roles?.join(', ')}.`);
  }
  const found = guidesOf(api, operation).map(linkToGuide);
  if (found.length > 0) texts.push(`Guides: ${found.join(', ')}.`);
  return texts.filter((text) => text !== undefined).join('\n\n');
}

function parametersOf(
  api: Api,
  operation: Operation,
  values: Readonly<Record<string, unknown>>,
  references: SchemaReferences,
): object[] {
  const { pathParameters, query, asCsv } = operation;
  const parameter = (place: string, [name, schema]: [string, JsonSchema], required: boolean) => {
    const { description } = schema;
    const example = values[name];
    return {
      ...{ name, in: place, required },
      ...(description !== undefined && { description }),
      schema: references.of(schema),
      ...(example !== undefined && { example }),
    };
  };
  return [
    ...Object.entries(pathParameters).map((entry) => parameter('path', entry, true)),
    ...Object.entries(query?.properties ?? {}).map((entry) =>
      parameter('query', entry, query?.required?.includes(entry[0]) === true),
    ),
    ...(asCsv === true ? [csvPreference] : []),
    ...secretParameters(api, operation),
  ];
}

const successTexts: Readonly<Record<string, string>> = {
  200: 'Success.',
  201: 'Created by this call.',
  204: 'Success, without a body.',
};

function successes(
  { responses, asCsv }: Operation,
  examples: Readonly<Record<string, readonly unknown[]>>,
  references: SchemaReferences,
): Record<string, object> {
  const entries = Object.entries(responses).map(([status, schema]): [string, object] => {
    const description = successTexts[status] ?? 'Success.';
    if (schema.type === 'null') return [status, { description }];
    const values = examples[status] ?? [];
    const content = { schema: references.of(schema, values), example: values[0] };
    const file = asCsv === true && { 'text/csv': { schema: { type: 'string' } } };
    return [status, { description, content: { 'application/json': content, ...file } }];
  });
  return Object.fromEntries(entries);
}

const header = (name: string, description: string, example: string): OpenAPIV3_1.ParameterObject => ({
  ...{ name, in: 'header', required: true, description, example },
  schema: { type: 'string' },
});

/** The headers of Standard Webhooks. */
const webhookHeaders = (id: string) => [
  header('webhook-id', 'The id of the event: the same in each attempt.', id),
  header('webhook-timestamp', 'The time of this attempt, in seconds since 1970.', '1795000000'),
  header(
    'webhook-signature',
    'A signature for each valid secret, space-separated: `v1,` and base64.',
    'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  ),
];

function openApiWebhooks(references: SchemaReferences): Record<string, OpenAPIV3_1.PathItemObject> {
  const entries = eventSchemas.map((event): [string, object] => {
    const schema = event as unknown as JsonSchema;
    const type = String(schema.properties?.['type']?.const);
    const example = eventExamples[type];
    return [
      type,
      {
        post: {
          summary: schema.description,
          security: [],
          parameters: webhookHeaders(String(example?.['id'])),
          requestBody: {
            required: true,
            content: { 'application/json': { schema: references.of(schema, [example]), example } },
          },
          responses: { '2XX': { description: 'The event is delivered.' } },
        },
      },
    ];
  });
  return Object.fromEntries(entries);
}
