// Keeps a log of the calls of the purchase API for the apps that made them, in the sandbox only. The answer has
// been sent when an entry is made, and nobody waits for it to be written.

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
import type { SandboxCalls } from './sandbox-request.ts';

export interface CallLogging {
  readonly log: RequestLog;
  /** What a text says that is a token of this installation, live or not. */
  readonly verifyToken: (token: string) => TokenClaims | undefined;
  readonly tokenLifetimeSeconds: number;
}

/** For a scope of routes; to be called before any other hook that looks at answers. */
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

/** For a call whose answer has been sent, or will never be. */
export async function logCall(
  request: FastifyRequest,
  reply: FastifyReply,
  logging: CallLogging,
): Promise<void> {
  const latencyMs = performance.now() - request.call.receivedAt;
  // Read when the call came in; a failure of that has been told of already.
  const state = await request.call.sandboxState?.catch(() => undefined);
  const appTime = appNow(state?.clock, request.call.calledAt);
  addCall(request, reply, { logging, latencyMs, appTime });
}

interface Circumstances {
  readonly logging: CallLogging;
  readonly latencyMs: number;
  readonly appTime: number;
}

function addCall(
  request: FastifyRequest,
  reply: FastifyReply,
  { logging, latencyMs, appTime }: Circumstances,
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

/** Tokens and secrets that are known to be such. */
function secretsOf({ request, header }: AnsweredCall): string[] {
  const { client_secret: secret } = (request.body ?? {}) as { readonly client_secret?: unknown };
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

/** Parameters that a query may have; others are not kept. */
const queryNames: readonly string[] = Object.keys(VoidedPurchasesQuery.properties);

function shownPath(call: AnsweredCall): string {
  const { request } = call;
  const secrets = secretsOf(call);
  const [path = '', query = ''] = request.url.split('?', 2);
  const values = [...new URLSearchParams(query)]
    .filter(([name]) => queryNames.includes(name))
    .map(([name, value]) => `${name}=${shownParameter(name, value, secrets)}`);
  const shown = [withoutLikelySecrets(path, secrets), ...(values.length === 0 ? [] : [values.join('&')])];
  return storableText(shown.join('?').slice(0, loggedPathMax));
}

/** A continuation key is longer than a token and shorter than a secret. */
function shownParameter(name: string, value: string, secrets: readonly string[]): string {
  const isKey = name === 'continuationKey' && value.length === sizes.continuationKey;
  return isKey ? withoutSecrets(value, secrets) : withoutLikelySecrets(value, secrets);
}
