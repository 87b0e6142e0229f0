// The first reference: a bare Fastify that answers the same shapes and asks nobody.

import formbody from '@fastify/formbody';
import { AccessTokenResponse, PurchaseDetails } from '@opentill/contract/resources.ts';
import fastify from 'fastify';

const server = fastify();
await server.register(formbody);

server.get(
  '/v2/purchase/details/:purchaseId/:packageName',
  { schema: { response: { 200: PurchaseDetails } } },
  async () => ({
    consumptionState: 0,
    developerPayload: 'payload-100000',
    purchaseState: 0,
    purchaseTime: 1_770_000_100_000,
  }),
);

server.post('/v2/oauth/token', { schema: { response: { 200: AccessTokenResponse } } }, async () => ({
  status: 'SUCCESS',
  client_id: 'com.bench.app1',
  access_token: 'AQAAAAEAAGpgXyAAAAAAAAAAAAAAAAAAAAAA',
  token_type: 'bearer',
  expires_in: 3_599,
  scope: 'DEFAULT',
}));

const url = await server.listen({ host: '127.0.0.1', port: 0 });
process.stdout.write(`bare Fastify ${url}\n`);
