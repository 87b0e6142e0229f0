// What the OpenAPI document says about each API as a whole: its audience, its listener and its authorization.

import { clientSecretHeader } from '@opentill/contract/developer-api.ts';
import type { OpenAPIV3_1 } from 'openapi-types';
import packageJson from '../../../package.json' with { type: 'json' };

/** An API: its tag, the listener that serves it, and how its calls are authorized. */
export interface Api {
  readonly tag: { readonly name: string; readonly description: string };
  readonly server: OpenAPIV3_1.ServerObject;
  readonly security: readonly { readonly [scheme in SecurityScheme]?: readonly string[] }[];
}

const listener = (description: string, address: string): OpenAPIV3_1.ServerObject => ({
  url: '{scheme}://{address}',
  description,
  variables: { scheme: { enum: ['http', 'https'], default: 'http' }, address: { default: address } },
});

const publicListener = listener('The public listener', '127.0.0.1:8080');
const operatorListener = listener('The operator listener', '127.0.0.1:8081');

export const apis = {
  purchase: {
    tag: {
      name: 'Purchase API',
      description:
        "For a developer's backend. Every call except getAccessToken carries `Authorization: Bearer <access token>` and `Content-Type: application/json`, with no body. Times are in milliseconds.",
    },
    server: publicListener,
    security: [{ accessToken: [] }],
  },
  events: {
    tag: {
      name: 'Events API',
      description:
        "For a developer's backend, in both environments: the changes of its purchases and subscriptions, in order and each once. Webhooks carry the same events.",
    },
    server: publicListener,
    security: [{ accessToken: [] }],
  },
  developer: {
    tag: {
      name: 'Developer API',
      description:
        'A developer reads and changes what belongs to their app, without the store: in production as far as the store has opened it (OPENTILL_DEVELOPER_API), in the sandbox with what the store and time do otherwise, so that a backend can be tested without a device. Errors are RFC 9457 problem details with the `error` of the purchase API.',
    },
    server: publicListener,
    security: [{ accessToken: [] }],
  },
  operator: {
    tag: {
      name: 'Operator API',
      description:
        'For the store: its checkout, its support and its administrators. Each key has a role; an operation lists the roles that may call it. Lists are paged: send the `nextPageToken` of a page as the `pageToken` of the next. Errors are RFC 9457 problem details.',
    },
    server: operatorListener,
    security: [{ operatorKey: [] }],
  },
} as const satisfies Record<string, Api>;

/** In the description of each operation `asCsv`. */
export const csvText =
  'With `Accept: text/csv`, the response is a file with all entries, whatever the page, as far as they are single values. Instants are in ISO 8601, amounts in the digits of their currency, and a text that a spreadsheet would read as a formula or a number begins with an apostrophe. Each file is an action. A session or key takes one at a time, otherwise it gets 429. A connection that ends without the last chunk has cut the file.';

/** Its headers. */
export const csvPreferences = {
  type: 'object',
  properties: {
    prefer: {
      type: 'string',
      description:
        'The time zone of the instants in a file, by default that of the store: `timezone=Asia/Seoul` (RFC 7240).',
    },
  },
};

/** The header of each operation of the developer API that needs it. */
export const secretHeader = {
  type: 'object',
  properties: {
    [clientSecretHeader]: {
      type: 'string',
      description: 'The client secret of the app, in production; a sandbox asks for the token alone.',
    },
  },
};

export const info: OpenAPIV3_1.InfoObject = {
  title: 'OpenTill',
  version: packageJson.version,
  description:
    'An in-app purchase server. Every response has the headers `x-request-id`, which identifies the call in the log of the server, and `cache-control: no-store`. Errors of the purchase API and the events API are `{"error":{"code","message"}}`.',
  license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
};

type SecurityScheme = 'accessToken' | 'operatorKey';

export const securitySchemes: Record<SecurityScheme, OpenAPIV3_1.SecuritySchemeObject> = {
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
    description: 'A key of OPENTILL_OPERATOR_KEYS, or the one in operator.key of the data folder.',
  },
};
