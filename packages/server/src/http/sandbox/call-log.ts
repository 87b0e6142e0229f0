// Logs the calls of the purchase API for their apps, in the sandbox only. An entry is created after the response is sent,
// and no call waits until it is written.

import { sizes } from '@opentill/contract/fields.ts';
import { loggedAnswerBytesMax, loggedPathMax } from '@opentill/contract/logged-request.ts';
import { getAccessToken } from '@opentill/contract/purchase-api/getAccessToken.ts';
import { VoidedPurchasesQuery } from '@opentill/contract/purchase-api/getVoidedPurchases.ts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { withoutLikelySecrets, withoutSecrets } from '../../domain/masked-text.ts';
import { appNow } from '../../domain/sandbox/app-clock.ts';
import { storableText } from '../../domain/storable-text.ts';
import type { TokenClaims } from '../../domain/tokens/access-token.ts';
import { readAuthorization } from '../../domain/tokens/authorization-hint.ts';
import { utf8Start } from '../../domain/utf8-start.ts';
import type { RequestLog } from '../../store/sandbox/request-log.ts';
import { type AnsweredCall, hintsOfCall } from './call-hints.ts';
import type { TokenParameters } from './misplaced-credentials.ts';
import type { SandboxCalls } from './sandbox-request.ts';

export interface CallLogging {
  readonly log: RequestLog;
  /** The claims of a token of this installation, expired or not. */
  readonly verifyToken: (token: string) => TokenClaims | undefined;
  readonly tokenLifetimeSeconds: number;
}

/** For a scope of routes; must be called before any other onSend hook is added. */
export function logCalls(server: FastifyInstance, logging: CallLogging, calls: SandboxCalls): void {
  server.addHook('onRequest', (request, _reply, done) => {
    request.call.calledAt = calls.clock.now();
    done();
  });
  server.addHook('onSend', (request, _reply, payload, done) => {
    request.call.answerText = typeof payload === 'string' ? payload : '';
    done(null, payload);
  });
  server.addHook('onResponse', (request, reply) => logCall(request, reply, logging));
}

/** For a call whose response was sent or cut off. */
export async function logCall(
  request: FastifyRequest,
  reply: FastifyReply,
  logging: CallLogging,
): Promise<void> {
  const latencyMs = performance.now() - request.call.receivedAt;
  // Read while the call was handled, which has reported any failure.
  const state = await request.call.sandboxState?.catch(() => undefined);
  const appTime = appNow(state?.clock, request.call.calledAt);
  addCall(request, reply, { logging, latencyMs, appTime });
}

interface LoggedTimes {
  readonly logging: CallLogging;
  readonly latencyMs: number;
  readonly appTime: number;
}

function addCall(
  request: FastifyRequest,
  reply: FastifyReply,
  { logging, latencyMs, appTime }: LoggedTimes,
): void {
  const { calledAt, packageName, fault, operationId, outcome } = request.call;
  const header = readHeader(request, logging);
  if (packageName === null && header === undefined) return;
  const call = { request, reply, calledAt, answer: request.call.answerText, header };
  const isCut = fault !== null && fault.cut !== null;
  const shown = isCut ? { answer: '', isAnswerCut: false } : shownAnswer(call);
  logging.log.add({
    ...(packageName === null ? { appNumber: header?.claims.appNumber ?? 0 } : { packageName }),
    calledAt,
    requestId: request.id,
    appTime,
    operationId,
    method: request.method,
    path: shownPath(call),
    httpStatus: isCut ? null : reply.statusCode,
    errorCode: isCut || outcome === 'success' ? null : Number(outcome),
    latencyMs: Math.round(latencyMs * 1000) / 1000,
    ...shown,
    faultPosition: fault?.position ?? null,
    hints: hintsOfCall(call, logging.tokenLifetimeSeconds),
  });
}

function readHeader(request: FastifyRequest, { verifyToken }: CallLogging): AnsweredCall['header'] {
  const reading = readAuthorization(request.headers.authorization);
  const claims = reading && verifyToken(reading.token);
  return claims && { ...reading, claims };
}

/** The token and the client secret of the call itself. */
function secretsOf({ request, header }: AnsweredCall): string[] {
  const { client_secret: secret } = (request.body ?? {}) as TokenParameters;
  return [header?.token, secret].filter((text) => typeof text === 'string');
}

function shownAnswer(call: AnsweredCall): { answer: string; isAnswerCut: boolean } {
  const answer = maskedAnswer(call);
  const { text, isCut } = utf8Start(Buffer.from(answer), loggedAnswerBytesMax);
  return { answer: text, isAnswerCut: isCut };
}

function maskedAnswer(call: AnsweredCall): string {
  const { request, reply, answer } = call;
  if (reply.statusCode !== 200) return withoutLikelySecrets(answer, secretsOf(call));
  if (request.call.operationId !== getAccessToken.operationId) return withoutSecrets(answer, secretsOf(call));
  return JSON.stringify({ ...JSON.parse(answer), access_token: '***' });
}

/** Query parameters that are logged. */
const queryNames: readonly string[] = Object.keys(VoidedPurchasesQuery.properties);

/** The query of a token request may have a secret, of which no part is logged, whatever its length. */
function shownPath(call: AnsweredCall): string {
  const { request } = call;
  const secrets = secretsOf(call);
  const [path = '', query = ''] = request.url.split('?', 2);
  if (request.call.operationId === getAccessToken.operationId) return path;
  const values = [...new URLSearchParams(query)]
    .filter(([name]) => queryNames.includes(name))
    .map(([name, value]) => `${name}=${shownParameter(name, value, secrets)}`);
  const shown = [withoutLikelySecrets(path, secrets), ...(values.length === 0 ? [] : [values.join('&')])];
  return storableText(shown.join('?').slice(0, loggedPathMax));
}

/** A continuation key looks like a secret, but is recognized by its length. */
function shownParameter(name: string, value: string, secrets: readonly string[]): string {
  const isKey = name === 'continuationKey' && value.length === sizes.continuationKey;
  return isKey ? withoutSecrets(value, secrets) : withoutLikelySecrets(value, secrets);
}
