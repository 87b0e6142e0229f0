// The events as an OpenAPI document shows them: as requests that a server sends, one for each type.

import { eventSchemas } from '@opentill/contract/events.ts';
import type { OpenAPIV3_1 } from 'openapi-types';
import { exampleOf } from './openapi-examples.ts';
import type { SchemaComponents } from './openapi-schemas.ts';

const header = (name: string, description: string): OpenAPIV3_1.ParameterObject => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string' },
});

/** Those of Standard Webhooks. */
const headers = [
  header('webhook-id', 'The id of the event: the same however often it is sent.'),
  header('webhook-timestamp', 'When this attempt was sent, in seconds since 1970.'),
  header('webhook-signature', 'A signature for each secret that is valid, blank between: `v1,` and base64.'),
];

export function openApiWebhooks(schemas: SchemaComponents): Record<string, OpenAPIV3_1.PathItemObject> {
  const entries = eventSchemas.map((schema): [string, OpenAPIV3_1.PathItemObject] => {
    const { description } = schema as { readonly description?: string };
    const content = { schema: schemas.place(schema), example: exampleOf(schema, 'ordinary') };
    return [
      schema.properties.type.const,
      {
        post: {
          ...(description !== undefined && { summary: description }),
          security: [],
          parameters: [...headers],
          requestBody: { required: true, content: { 'application/json': content } },
          responses: { '2XX': { description: 'The event is delivered.' } },
        },
      },
    ];
  });
  return Object.fromEntries(entries);
}
