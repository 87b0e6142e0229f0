// What a read costs at least: Fastify with one route of the same form and the same response, and nothing else.

import fastify from 'fastify';
import Type from 'typebox';

const server = fastify();
const schema = {
  response: {
    200: Type.Object({
      consumptionState: Type.Integer(),
      developerPayload: Type.String(),
      purchaseState: Type.Integer(),
      purchaseTime: Type.Integer(),
    }),
  },
};

server.get('/v2/purchase/details/:purchaseId/:packageName', { schema }, () => ({
  consumptionState: 0,
  developerPayload: 'payload-1234',
  purchaseState: 0,
  purchaseTime: 1_790_000_000_000,
}));

const url = await server.listen({ port: 0, host: '127.0.0.1' });
process.stdout.write(`Fastify ${url}\n`);
