// One attempt of a delivery: a POST and its outcome. Only the status of the response counts; the start of its body is
// stored for the developer.

import {
  type DeliveryFailure,
  deliveryLocationMax,
  deliveryResponseBytesMax,
} from '@opentill/contract/webhooks.ts';
import { storableText } from '../../domain/text/storable-text.ts';
import { utf8Start } from '../../domain/text/utf8-start.ts';
import { contentHeaders } from '../../domain/webhooks/content-headers.ts';
import { addressOfHost, isAllowedAddress, type WebhookRules } from '../../domain/webhooks/webhook-address.ts';
import { type HttpFailure, OutgoingHttp } from '../../runtime/outgoing-http.ts';
import {
  AddressRefused,
  guardedLookup,
  nameResolution,
  type ResolveName,
  rejectForbiddenPeer,
} from './receiver-lookup.ts';

/** An attempt ends after this time, in ms, including name lookup, connecting and reading the response. */
const attemptTimeoutMs = 10_000;

/** A connection whose response body is larger than this, in bytes, is closed; the status still counts. */
const responseBytesMax = 65_536;

interface WebhookRequest {
  readonly url: URL;
  readonly body: string;
  /** In addition to those that every attempt has. */
  readonly headers: Readonly<Record<string, string>>;
}

export interface SendOutcome {
  readonly latencyMs: number;
  /** undefined if no valid HTTP response was received. */
  readonly httpStatus: number | undefined;
  /** Where a redirect leads, which is not followed. */
  readonly location: string | undefined;
  /** undefined if a complete response was received, whatever its status. */
  readonly failure: DeliveryFailure | undefined;
  /** The error code of Node.js, for tlsFailed. */
  readonly failureCode?: string | undefined;
  readonly response: string;
  readonly isResponseCut: boolean;
}

/** Whether the receiver has the event. */
export function isDelivered({ httpStatus, failure }: SendOutcome): boolean {
  return failure === undefined && httpStatus !== undefined && httpStatus >= 200 && httpStatus <= 299;
}

export interface WebhookSender {
  /** Resolves to undefined if the attempt was aborted; whether the event arrived is then unknown. */
  send(request: WebhookRequest): Promise<SendOutcome | undefined>;
  /** Aborts the attempts in flight and closes all connections. */
  close(): void;
}

interface SenderTesting {
  readonly timeoutMs?: number | undefined;
  readonly resolveName?: ResolveName;
  /** PEM; replaces the certificate authorities that the process trusts. */
  readonly certificateAuthorities?: string;
}

/** `testing` is set by tests. */
export function webhookSender(rules: WebhookRules, testing: SenderTesting = {}): WebhookSender {
  const { timeoutMs = attemptTimeoutMs, resolveName = nameResolution(), certificateAuthorities } = testing;
  const http = new OutgoingHttp(
    { withinMs: timeoutMs, bodyBytesMax: responseBytesMax, keptBytesMax: deliveryResponseBytesMax },
    {
      lookup: guardedLookup(rules, resolveName),
      onConnected: rejectForbiddenPeer(rules),
      ca: certificateAuthorities,
    },
  );
  return {
    async send({ url, body, headers }) {
      // An IP address in the URL is never looked up.
      const address = addressOfHost(url);
      if (address !== undefined && !isAllowedAddress(address, rules)) return unsentOutcome('addressRefused');
      const begun = performance.now();
      const request = { method: 'POST', url, body, headers: { ...contentHeaders, ...headers } } as const;
      const { status, failure, location, ...response } = await http.send(request);
      if (failure?.kind === 'aborted') return undefined;
      const { text, isCut } = utf8Start(response.body, deliveryResponseBytesMax);
      return {
        latencyMs: Math.round((performance.now() - begun) * 1000) / 1000,
        httpStatus: status,
        location: redirectOf(url, status, location),
        ...(failure === undefined ? { failure } : deliveryFailureOf(failure)),
        response: storableText(text),
        isResponseCut: isCut,
      };
    },
    close: () => http.close(),
  };
}

/** The absolute address that a redirect leads to. */
function redirectOf(from: URL, status: number | undefined, location: string | undefined): string | undefined {
  const isRedirect = status !== undefined && status >= 300 && status <= 399;
  if (!isRedirect || location === undefined) return undefined;
  return storableText((URL.parse(location, from.href)?.href ?? location).slice(0, deliveryLocationMax));
}

/** The outcome of an attempt that made no connection. */
export function unsentOutcome(failure: DeliveryFailure): SendOutcome {
  return {
    latencyMs: 0,
    httpStatus: undefined,
    location: undefined,
    failure,
    response: '',
    isResponseCut: false,
  };
}

const nameCodes: ReadonlySet<string> = new Set([
  'ENOTFOUND',
  'ENODATA',
  'ESERVFAIL',
  'EAI_AGAIN',
  'ETIMEOUT',
]);
const tlsCodes = /^(?:ERR_TLS_|ERR_SSL_|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|EPROTO$)/;

type Failure = Pick<SendOutcome, 'failure' | 'failureCode'>;

function deliveryFailureOf(failure: HttpFailure): Failure {
  switch (failure.kind) {
    case 'malformed':
      return { failure: 'malformedResponse' };
    case 'notConnected':
      return connectionFailureOf(failure.error);
    case 'connectionLost':
      return { failure: 'connectionLost' };
    default:
      return { failure: 'timedOut' };
  }
}

function connectionFailureOf(error: Error): Failure {
  // Each address of a name is tried; the failure of the last one is reported.
  const last: unknown = error instanceof AggregateError ? error.errors.at(-1) : undefined;
  if (last instanceof Error) return connectionFailureOf(last);
  if (error instanceof AddressRefused) return { failure: 'addressRefused' };
  const code = String((error as NodeJS.ErrnoException).code);
  if (code === 'ECONNREFUSED') return { failure: 'connectionRefused' };
  if (code === 'UND_ERR_CONNECT_TIMEOUT') return { failure: 'timedOut' };
  if (nameCodes.has(code)) return { failure: 'nameNotFound' };
  return tlsCodes.test(code) ? { failure: 'tlsFailed', failureCode: code } : { failure: 'connectionFailed' };
}
