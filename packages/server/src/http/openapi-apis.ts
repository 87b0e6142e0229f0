// What an OpenAPI document says of each API as a whole: who it is for, which listener serves it, and how its calls
// are authorised.

import type { OpenAPIV3_1 } from 'openapi-types';
import packageJson from '../../package.json' with { type: 'json' };

/** An API: its tag, the listener that serves it, and how a call of it is authorised. */
export interface Api {
  readonly tag: OpenAPIV3_1.TagObject;
  readonly server: OpenAPIV3_1.ServerObject;
  readonly security: OpenAPIV3_1.SecurityRequirementObject[];
}

const listener = (description: string, address: string): OpenAPIV3_1.ServerObject => ({
  url: '{scheme}://{address}',
  description,
  variables: { scheme: { enum: ['http', 'https'], default: 'http' }, address: { default: address } },
});

export const publicListener = listener('The public listener', '127.0.0.1:8080');
export const operatorListener = listener('The operator listener', '127.0.0.1:8081');

export const apis = {
  purchase: {
    tag: {
      name: 'Purchase API',
      description:
        "For a developer's backend. Every call but getAccessToken carries `Authorization: Bearer <access token>` and `Content-Type: application/json`, with no body. Times are milliseconds.",
    },
    server: publicListener,
    security: [{ accessToken: [] }],
  },
  events: {
    tag: {
      name: 'Events API',
      description:
        "For a developer's backend, in both environments: what happened to its purchases and subscriptions, in order and each once. The same events are what webhooks carry.",
    },
    server: publicListener,
    security: [{ accessToken: [] }],
  },
  sandbox: {
    tag: {
      name: 'Sandbox API',
      description:
        "In the sandbox environment only: what the store does, done by the developer's backend to its own app, so that it can be tested without a device. Production does not have these paths.",
    },
    server: publicListener,
    security: [{ accessToken: [] }],
  },
  operator: {
    tag: {
      name: 'Operator API',
      description:
        'For the store: its checkout, its support and its administrators. Each key has a role; an operation lists those that may call it. Lists are read page by page, with the `nextPageToken` of the page before as `pageToken`.',
    },
    server: operatorListener,
    security: [{ operatorKey: [] }],
  },
} as const satisfies Record<string, Api>;

export const info: OpenAPIV3_1.InfoObject = {
  title: 'OpenTill',
  version: packageJson.version,
  description:
    'An in-app purchase server. Every answer carries `x-request-id` and `cache-control: no-store`. Errors of the purchase API and the events API are `{"error":{"code","message"}}`; those of the other two are RFC 9457 problem details, on the public listener with the same `error` beside them.',
  license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
};

export const securitySchemes: Record<string, OpenAPIV3_1.SecuritySchemeObject> = {
  accessToken: {
    type: 'oauth2',
    description: 'The access token of an app, from getAccessToken.',
    flows: {
      clientCredentials: { tokenUrl: 'http://127.0.0.1:8080/v2/oauth/token', scopes: {} },
    },
  },
  operatorKey: {
    type: 'http',
    scheme: 'bearer',
    description: 'A key of OPENTILL_OPERATOR_KEY or OPENTILL_OPERATOR_KEYS.',
  },
};
