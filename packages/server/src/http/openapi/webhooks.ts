// The webhooks of the OpenAPI document: one for each type of event.

import { eventSchemas } from '@opentill/contract/events.ts';
import type { OpenAPIV3_1 } from 'openapi-types';

const header = (name: string, description: string): OpenAPIV3_1.ParameterObject => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string' },
});

/** The headers of Standard Webhooks. */
const parameters = [
  header('webhook-id', 'The id of the event: the same in each attempt.'),
  header('webhook-timestamp', 'The time of this attempt, in seconds since 1970.'),
  header('webhook-signature', 'A signature for each valid secret, space-separated: `v1,` and base64.'),
];

export function openApiWebhooks(): Record<string, OpenAPIV3_1.PathItemObject> {
  const entries = eventSchemas.map((schema): [string, OpenAPIV3_1.PathItemObject] => {
    const {
      $id,
      description = '',
      properties,
    } = schema as typeof schema & { $id: string; description: string };
    const content = { 'application/json': { schema: { $ref: `#/components/schemas/${$id}` } } };
    const responses = { '2XX': { description: 'The event is delivered.' } };
    const requestBody = { required: true, content };
    return [
      properties.type.const,
      { post: { summary: description, security: [], parameters, requestBody, responses } },
    ];
  });
  return Object.fromEntries(entries);
}
