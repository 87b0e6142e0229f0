// The token endpoint: decodes the form, and logs and counts wrong secrets (docs/decisions/access.md).

import { getAccessToken as operation } from '@opentill/contract/purchase-api/getAccessToken.ts';
import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestAsyncHookHandler } from 'fastify';
import { quoteValue } from '../../domain/text/quoted-value.ts';
import type { TokenIssuer } from '../../operations/tokens/getAccessToken.ts';
import type { Log } from '../../runtime/log.ts';
import type { Metrics } from '../../runtime/metrics.ts';
import { jsonContentType, sendError } from '../error-response.ts';
import { nameOperation } from '../listener/observation.ts';
import { discardBodies, type Form, isForm, parseForm, problemOfCoding } from '../request-body.ts';
import {
  type CallTesting,
  type ClientIdentification,
  identifyClient,
  injectFault,
  observeForTesting,
} from '../sandbox/call-testing.ts';
import { sandboxStateOf } from '../sandbox/sandbox-request.ts';

export interface TokenRoute {
  readonly tokens: TokenIssuer;
  readonly log: Log;
  readonly metrics: Metrics;
  /** undefined in production. */
  readonly testing: CallTesting | undefined;
}

const parameters = ['client_id', 'client_secret', 'grant_type'] as const;
const grantType = 'client_credentials';

/** The same message for an unknown client and a wrong secret, so that clients cannot be probed. */
const wrongClient = 'client_id and client_secret: expected the credentials of an enabled app.';

type TokenForm = Record<(typeof parameters)[number], string>;

export async function registerTokenRoute(server: FastifyInstance, route: TokenRoute): Promise<void> {
  discardBodies(server);
  server.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'buffer' },
    async (_request: FastifyRequest, body: Buffer) => parseForm(body),
  );
  const { testing, tokens, log, metrics } = route;
  if (testing !== undefined) observeForTesting(server, testing);
  const rejectClient = (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const { operationId, clientAddress: address } = request.call;
    metrics.countWrongClientSecret();
    log.warn({ requestId: request.id, operationId, address }, 'wrong client secret');
    return sendInvalid(reply, wrongClient);
  };
  const identify = testing && identifyClient(testing);
  server.route({
    method: operation.method,
    url: operation.path,
    schema: { response: { 200: operation.response } },
    onRequest: [nameOperation(operation.operationId), requireForm(identify)],
    preHandler: identify ?? [],
    handler: async (request, reply) => {
      const form = decodeForm(request.body);
      if (typeof form === 'string') return sendInvalid(reply, form);
      const credentials = { clientId: form.client_id, clientSecret: form.client_secret };
      request.call.checkedSecret = form.client_secret;
      const client = await tokens.findClient(credentials);
      if (client === undefined) return rejectClient(request, reply);
      // Only the owner of the secret uses up faults.
      if (testing !== undefined && (await injectFault(request, reply, testing))) return reply;
      const state = testing && (await sandboxStateOf(request, testing));
      const token = await tokens.issue(client, { ...credentials, cut: state?.tokenCut });
      if (token === undefined) return rejectClient(request, reply);
      reply.header('content-type', jsonContentType).header('pragma', 'no-cache');
      return token;
    },
  });
}

/** A call without a readable form is logged for its app, too. */
function requireForm(identify: ClientIdentification | undefined): onRequestAsyncHookHandler {
  return async (request, reply) => {
    const problem =
      problemOfForm(request.headers['content-type']) ?? problemOfCoding(request.headers['content-encoding']);
    if (problem === undefined) return;
    await identify?.(request);
    return sendInvalid(reply, `${problem}.`);
  };
}

function problemOfForm(contentType: string | undefined): string | undefined {
  if (isForm(contentType)) return undefined;
  const received = contentType === undefined ? 'none' : quoteValue(contentType);
  return `Content-Type: expected application/x-www-form-urlencoded, got ${received}`;
}

function sendInvalid(reply: FastifyReply, detail: string): FastifyReply {
  return sendError(reply, 'purchase', 'invalidTokenRequest', { detail });
}

/** Returns the parameters, or a message about the first invalid one that does not repeat a secret. */
function decodeForm(body: unknown): TokenForm | string {
  const form = (body ?? {}) as Form;
  for (const name of parameters) {
    const value = form[name];
    if (value === undefined || value === '') return `${name}: expected a value, got none.`;
    if (value === null) return `${name}: expected UTF-8.`;
    if (typeof value !== 'string') return `${name}: expected exactly one, got ${value.length}.`;
  }
  const valid = form as TokenForm;
  if (valid.grant_type !== grantType) {
    return `grant_type: expected ${grantType}, got ${quoteValue(valid.grant_type)}.`;
  }
  return valid;
}
