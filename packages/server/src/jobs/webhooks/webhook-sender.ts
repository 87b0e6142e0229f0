// One attempt of a delivery: a POST, and what became of it. No redirect is followed, and of the answer only its
// status counts; its body is read to a bound, kept in part for people, and never looked into.

import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { type DeliveryFailure, deliveryAnswerBytesMax } from '@opentill/contract/webhooks.ts';
import packageJson from '../../../package.json' with { type: 'json' };
import { storableText } from '../../domain/storable-text.ts';
import { addressOfHost, isAllowedAddress, type WebhookRules } from '../../domain/webhook-address.ts';
import { AnswerDeadline, type AnswerWait } from '../../runtime/answer-deadline.ts';
import { isLost, isStale } from '../stale-connection.ts';
import { AddressRefused, guardedAgents } from './guarded-agents.ts';
import { nameResolution, type ResolveName } from './name-resolution.ts';

/** An attempt ends after this time, in ms, wherever it is: finding the name, connecting, reading the answer. */
export const attemptTimeoutMs = 10_000;

/** A connection whose answer is larger than this, in bytes, is given up; the status counts all the same. */
const answerBytesMax = 65_536;

/** Answers before the answer (100 Continue, 103 Early Hints): who sends more of them means no good. */
const informationMax = 10;

interface WebhookRequest {
  readonly url: URL;
  readonly body: string;
  /** Besides those that every attempt has. */
  readonly headers: Readonly<Record<string, string>>;
}

export interface SendOutcome {
  readonly latencyMs: number;
  /** undefined: no answer came, or none that is HTTP. */
  readonly httpStatus: number | undefined;
  /** undefined: the answer came whole, whatever its status. */
  readonly failure: DeliveryFailure | undefined;
  readonly answer: string;
  readonly isAnswerCut: boolean;
}

export interface WebhookSender {
  /** undefined when it was called off: then it is not known what has happened. */
  send(request: WebhookRequest): Promise<SendOutcome | undefined>;
  /** Calls off what is under way, and closes all connections. */
  close(): void;
}

interface SenderParts {
  readonly rules: WebhookRules;
  readonly timeoutMs?: number;
  /** A test has names of its own. */
  readonly resolveName?: ResolveName;
  readonly certificateAuthorities?: string;
}

export function webhookSender(parts: SenderParts): WebhookSender {
  const { rules, timeoutMs = attemptTimeoutMs, resolveName = nameResolution() } = parts;
  const agents = guardedAgents(rules, { ...parts, resolveName });
  const deadline = new AnswerDeadline(timeoutMs, (exchange: Exchange) => exchange.timeOut());
  const underWay = new Set<Exchange>();

  const open = ({ url, body, headers }: WebhookRequest): ClientRequest => {
    const isHttps = url.protocol === 'https:';
    const request = (isHttps ? httpsRequest : httpRequest)(url, {
      method: 'POST',
      agent: isHttps ? agents.https : agents.http,
      headers: {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        'user-agent': `OpenTill/${packageJson.version}`,
        ...headers,
      },
    });
    request.end(body);
    return request;
  };

  return {
    async send(request) {
      // An address in the place of a name is never looked up.
      const address = addressOfHost(request.url);
      if (address !== undefined && !isAllowedAddress(address, rules)) {
        return unsent('addressRefused');
      }
      const exchange = new Exchange(() => open(request), deadline);
      underWay.add(exchange);
      try {
        return await exchange.outcome;
      } finally {
        underWay.delete(exchange);
      }
    },
    close() {
      for (const exchange of underWay) exchange.callOff();
      agents.http.destroy();
      agents.https.destroy();
    },
  };
}

/** The outcome of an attempt that came to no connection. */
export function unsent(failure: DeliveryFailure): SendOutcome {
  return { latencyMs: 0, httpStatus: undefined, failure, answer: '', isAnswerCut: false };
}

class Exchange {
  readonly outcome: Promise<SendOutcome | undefined>;
  readonly #open: () => ClientRequest;
  readonly #begun = performance.now();
  readonly #wait: AnswerWait<Exchange>;
  #resolve: (outcome: SendOutcome | undefined) => void = () => undefined;
  #request: ClientRequest;
  #isRepeated = false;
  #isOver = false;
  #httpStatus: number | undefined;
  readonly #kept: Buffer[] = [];
  #bytes = 0;
  #informations = 0;

  constructor(open: () => ClientRequest, deadline: AnswerDeadline<Exchange>) {
    this.outcome = new Promise((resolve) => {
      this.#resolve = resolve;
    });
    this.#open = open;
    this.#wait = deadline.begin(this);
    this.#request = this.#begin();
  }

  callOff(): void {
    this.#isOver = true;
    this.#wait.answered();
    this.#resolve(undefined);
    this.#request.destroy();
  }

  timeOut(): void {
    this.#end('timedOut');
  }

  #begin(): ClientRequest {
    const request = this.#open();
    request.on('error', (error) => this.#fail(request, error));
    request.on('response', (response) => this.#read(response));
    request.on('information', () => {
      this.#informations += 1;
      if (this.#informations > informationMax) this.#end('malformedAnswer');
    });
    // Another protocol on this connection, which nobody asked for. The socket is then its listener's.
    request.on('upgrade', (_response, socket) => {
      socket.destroy();
      this.#end('malformedAnswer');
    });
    return request;
  }

  #read(response: IncomingMessage): void {
    this.#httpStatus = response.statusCode;
    response.on('data', (chunk: Buffer) => {
      if (this.#bytes < deliveryAnswerBytesMax) this.#kept.push(chunk);
      this.#bytes += chunk.length;
      if (this.#bytes > answerBytesMax) this.#end(undefined);
    });
    response.on('end', () => this.#end(undefined));
    response.on('error', () => this.#end('connectionLost'));
  }

  #fail(request: ClientRequest, error: Error): void {
    if (this.#isOver) return;
    if (this.#httpStatus === undefined && !this.#isRepeated && isStale(request, error)) {
      this.#isRepeated = true;
      this.#request = this.#begin();
      return;
    }
    this.#end(failureOf(error));
  }

  /** The first end counts. */
  #end(failure: DeliveryFailure | undefined): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#wait.answered();
    const shown = shownAnswer(Buffer.concat(this.#kept));
    const latencyMs = Math.round((performance.now() - this.#begun) * 1000) / 1000;
    this.#resolve({ latencyMs, httpStatus: this.#httpStatus, failure, ...shown });
    if (failure !== undefined || this.#bytes > answerBytesMax) this.#request.destroy();
  }
}

function shownAnswer(bytes: Buffer): Pick<SendOutcome, 'answer' | 'isAnswerCut'> {
  // A character that the limit goes through is left out.
  const text = new TextDecoder().decode(bytes.subarray(0, deliveryAnswerBytesMax), { stream: true });
  return { answer: storableText(text), isAnswerCut: bytes.length > deliveryAnswerBytesMax };
}

const nameCodes: ReadonlySet<string> = new Set([
  'ENOTFOUND',
  'ENODATA',
  'ESERVFAIL',
  'EAI_AGAIN',
  'ETIMEOUT',
]);
const tlsCodes = /^(?:ERR_TLS_|ERR_SSL_|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|EPROTO$)/;

function codeOf(error: Error): string {
  return String((error as NodeJS.ErrnoException).code);
}

function failureOf(error: Error): DeliveryFailure {
  // Each address of a name is tried; the last one's failure stands for all.
  const last: unknown = error instanceof AggregateError ? error.errors.at(-1) : undefined;
  if (last instanceof Error) return failureOf(last);
  if (error instanceof AddressRefused) return 'addressRefused';
  if (isLost(error)) return 'connectionLost';
  const code = codeOf(error);
  if (code === 'ECONNREFUSED') return 'connectionRefused';
  if (nameCodes.has(code)) return 'nameNotFound';
  if (code.startsWith('HPE_')) return 'malformedAnswer';
  return tlsCodes.test(code) ? 'tlsFailed' : 'connectionFailed';
}
