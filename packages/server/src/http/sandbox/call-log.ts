// Logs the calls of the purchase API for their apps, in the sandbox only. An entry is created after the response is sent,
// and no call waits until it is written.

import { sizes } from '@opentill/contract/fields.ts';
import { loggedHeaderMax, loggedPathMax, loggedResponseBytesMax } from '@opentill/contract/logged-request.ts';
import { getAccessToken } from '@opentill/contract/purchase-api/getAccessToken.ts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { appNow } from '../../domain/sandbox/app-clock.ts';
import { buyerParameters, mask } from '../../domain/sandbox/call-explanation.ts';
import { utf8Start } from '../../domain/text/utf8-start.ts';
import type { TokenClaims } from '../../domain/tokens/access-token.ts';
import type { AppDirectory } from '../../store/apps/app-directory.ts';
import type { LoggedCall, RequestLog } from '../../store/sandbox/request-log.ts';
import { isJson } from '../request-body.ts';
import type { SandboxCalls } from './sandbox-request.ts';

export interface CallLogging extends SandboxCalls {
  readonly log: RequestLog;
  readonly apps: Pick<AppDirectory, 'read'>;
  /** The claims of a token of this installation, expired or not. */
  readonly verifyToken: (token: string) => TokenClaims | undefined;
}

/** For a scope of routes; must be called before any other onSend hook is added. */
export function logCalls(server: FastifyInstance, logging: CallLogging): void {
  server.addHook('onRequest', (request, _reply, done) => {
    request.call.calledAt = logging.clock.now();
    done();
  });
  server.addHook('onSend', (request, _reply, payload, done) => {
    request.call.responseText = typeof payload === 'string' ? payload : '';
    done(null, payload);
  });
  server.addHook('onResponse', (request, reply, done) => {
    logCall(request, reply, logging);
    done();
  });
}

/** For calls without a route, which take no step after that of their response. Those of `isLogged` have errors with a code. */
export function logUnroutedCalls(
  server: FastifyInstance,
  logging: CallLogging,
  isLogged: (request: FastifyRequest) => boolean,
): void {
  server.addHook('onSend', (request, _reply, payload, done) => {
    if (request.is404) {
      request.call.calledAt = logging.clock.now();
      request.call.responseText = typeof payload === 'string' ? payload : '';
    }
    done(null, payload);
  });
  server.addHook('onResponse', (request, reply, done) => {
    if (request.is404 && isLogged(request)) logCall(request, reply, logging);
    done();
  });
}

/** For a call whose response was sent or cut off. */
export function logCall(request: FastifyRequest, reply: FastifyReply, logging: CallLogging): void {
  const latencyMs = Math.round((performance.now() - request.call.receivedAt) * 1000) / 1000;
  logging.log.add(loggedCall(request, reply, { logging, latencyMs }));
}

/** Returns undefined for a call that cannot be attributed to an app. */
async function loggedCall(
  request: FastifyRequest,
  reply: FastifyReply,
  { logging, latencyMs }: { readonly logging: CallLogging; readonly latencyMs: number },
): Promise<Omit<LoggedCall, 'callOrder'> | undefined> {
  const { calledAt, fault, operationId, errorCode, hasIgnoredBody } = request.call;
  const token = findToken(request, logging);
  const packageName = request.call.packageName ?? (await token?.findPackageName());
  if (packageName === undefined) return undefined;
  // A call that was rejected before its app was known has not read it.
  const { clock } = await (request.call.sandboxState ?? logging.readState(packageName));
  const isCut = fault !== null && fault.cut !== null;
  return {
    packageName,
    calledAt,
    requestId: request.id,
    appTime: appNow(clock, calledAt),
    operationId,
    method: request.method,
    httpStatus: isCut ? null : reply.statusCode,
    errorCode: isCut ? null : errorCode,
    latencyMs,
    faultPosition: fault?.position ?? null,
    isJson: isJson(request.headers['content-type']),
    hasIgnoredBody,
    ...maskedTexts(request, { token: token?.text, isCut }),
  };
}

/** A token, also after a malformed scheme, but not within a longer word. */
const tokenInHeader = new RegExp(`(?<![\\w-])(?:bearer)?([\\w-]{${sizes.accessToken}})(?![\\w-])`, 'i');

function findToken({ headers }: FastifyRequest, { verifyToken, apps }: CallLogging) {
  const text = tokenInHeader.exec(headers.authorization ?? '')?.[1];
  const claims = text === undefined ? undefined : verifyToken(text);
  return (
    claims && {
      text: text as string,
      findPackageName: async () => (await apps.read(claims.appNumber))?.packageName,
    }
  );
}

/** Payloads may name a buyer, whom a later erasure could not find in the log of every server. */
const payloads = /(?<="developerPayload":")(?:[^"\\]|\\.)+(?=")/g;

/** Values in the URL of a call, which may be one of another API. */
const hiddenValues = new RegExp(`(?<=client_secret=|[?&](?:${buyerParameters.join('|')})=)[^&]*`, 'gi');

/** The texts of a call, without its token, its client secret, ids of buyers and developer payloads. */
function maskedTexts(
  { call, headers, url, query }: FastifyRequest,
  { token, isCut }: { readonly token: string | undefined; readonly isCut: boolean },
): Pick<LoggedCall, 'path' | 'response' | 'isResponseCut' | 'authorization' | 'secretShape'> {
  if (call.operationId === getAccessToken.operationId) {
    const [path = ''] = url.split('?', 1);
    const inQuery = ['client_id', 'client_secret'].filter((name) => Object.hasOwn(query as object, name));
    const shownQuery = inQuery.map((name) => `${name}=${mask}`).join('&');
    return {
      path: shownQuery === '' ? path : `${path}?${shownQuery}`,
      response: '',
      isResponseCut: false,
      authorization: basicUser(headers.authorization) === undefined ? '' : `Basic ${mask}`,
      secretShape: call.checkedSecret?.replaceAll(/\S+/g, mask).slice(0, loggedHeaderMax) ?? null,
    };
  }
  const masked = (text: string): string => (token === undefined ? text : text.replaceAll(token, mask));
  const response = Buffer.from(masked(call.responseText).replaceAll(payloads, mask));
  const { text, isCut: isResponseCut } = utf8Start(response, loggedResponseBytesMax);
  return {
    path: masked(url).replaceAll(hiddenValues, mask).slice(0, loggedPathMax),
    ...(isCut ? { response: '', isResponseCut: false } : { response: text, isResponseCut }),
    authorization: masked(headers.authorization ?? '').slice(0, loggedHeaderMax),
    secretShape: null,
  };
}

const basicForm = /^basic +([A-Za-z0-9+/=_-]+)$/i;

/** The user of Basic credentials. */
export function basicUser(authorization: string | undefined): string | undefined {
  const encoded = basicForm.exec(authorization ?? '')?.[1];
  return encoded && Buffer.from(encoded, 'base64').toString().split(':', 1)[0];
}
