// Generates a client from the OpenAPI document of a running server, with validators of requests and responses.

import { createClient } from '@hey-api/openapi-ts';

const [, , document, path] = process.argv;

await createClient({
  input: document,
  output: { path, module: { extension: '.ts' } },
  plugins: ['@hey-api/client-axios', 'zod', { name: '@hey-api/sdk', validator: true }],
  logs: { level: 'silent', file: false },
});
