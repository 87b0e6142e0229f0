// Random malicious requests on real sockets.

import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import {
  adminKey,
  callPurchaseApi,
  createTestApp,
  recordTestPurchase,
  startTestServer,
} from '../../../../test/support/harness.ts';
import { type HostileRequest, hostileRequest } from './hostile-requests.ts';
import type { GoodValues } from './hostile-values.ts';
import { type RawResponse, takeResponses } from './pipelined-client.ts';
import { type Exchange, exchange } from './raw-exchange.ts';

/** npm run test:chaos sends more. */
const requestsMax = Number(process.env['HOSTILE_REQUESTS'] ?? 4_000);
/** A fixed seed, which makes failures reproducible. */
const seed = 20_260_315;
const atOnce = 48;
const requestsAtATime = 2_000;

/** Internal words of the server, PostgreSQL and the libraries that must not be in a response. The requests contain none. */
const internals =
  /node_modules|packages\/server|\.ts:\d|\n\s+at |Error: |FST_ERR|ERR_|HPE_|ECONN|EPIPE|syntax error|invalid input|invalid byte|relation "|violates|prepared statement|purchase_pkey|\$6|undefined is not|Cannot read/;

const server = await startTestServer();
const app = await createTestApp(server);
const { purchaseId } = await recordTestPurchase(server, app, { purchaseId: 'GOOD-1' });
const good: GoodValues = { ...app, purchaseId, operatorKey: adminKey };

// A graceful stop waits for calls in flight: a socket that was left open would let the test time out.
afterAll(() => server.stop());

interface Problem {
  readonly problem: string;
  readonly request: string;
  readonly received: string;
}

/** A response to HEAD has the length of a body that does not follow, so its body is not parsed. */
function responsesOf(bytes: string, received: string): [responses: RawResponse[], rest: string] {
  if (bytes.includes('HEAD ')) return [[], ''];
  return takeResponses(received.replaceAll('HTTP/1.1 100 Continue\r\n\r\n', ''));
}

type Listener = HostileRequest['listener'];

function problemOf(response: RawResponse, listener: Listener): string | undefined {
  const { status, headers, body } = response;
  if (!(status >= 200 && status < 500)) return `status ${status}`;
  if (internals.test(headers + body)) return 'internal text';
  if (!/\r\nx-request-id: \S/i.test(headers)) return 'no x-request-id';
  // Only the reference, which is the same for everybody, may be stored.
  const stored =
    status < 400 ? /\r\ncache-control: (?:no-store|public, max-age=300)/i : /\r\ncache-control: no-store/i;
  if (!stored.test(headers)) return 'no cache-control: no-store';
  if (status < 400) return undefined;
  if (!/\r\ncontent-type: application\/(?:problem\+)?json/i.test(headers)) return 'an error that is not JSON';
  return problemOfErrorBody(response, listener);
}

/** Checks for the error object of the specification on the public listener, or problem details on the operator listener. */
function problemOfErrorBody({ status, headers, body }: RawResponse, listener: Listener): string | undefined {
  let parsed: Record<string, unknown>;
  try {
    parsed = JSON.parse(Buffer.from(body, 'latin1').toString('utf8'));
  } catch {
    return 'an error body that is not JSON';
  }
  const { error, type } = parsed as { error?: { code?: unknown; message?: unknown }; type?: unknown };
  if (listener === 'public')
    return Number.isInteger(error?.code) && typeof error?.message === 'string'
      ? undefined
      : 'no error object';
  const isProblem = error === undefined && typeof type === 'string' && parsed['status'] === status;
  return isProblem && headers.includes('application/problem+json') ? undefined : 'no problem details';
}

function judge({ bytes, end, listener }: HostileRequest, { received, ended }: Exchange): string | undefined {
  if (ended === 'hung') return 'the server neither responded nor closed';
  const [responses, rest] = responsesOf(bytes, received);
  for (const response of responses) {
    const problem = problemOf(response, listener);
    if (problem !== undefined) return problem;
  }
  if (end === 'abandon' || ended === 'reset') return undefined;
  if (rest !== '') return 'a truncated response';
  if (received === '' && /[^\r\n]/.test(bytes)) return 'no response';
  return undefined;
}

async function expectGoodCallWorks(): Promise<void> {
  const response = await callPurchaseApi(server, {
    token: app.token,
    path: `/details/${good.purchaseId}/${app.packageName}`,
  });
  expect(response.status).toBe(200);
}

/** Sends the requests, several at a time. */
async function attack(requests: readonly HostileRequest[]): Promise<Problem[]> {
  const problems: Problem[] = [];
  const queue = requests.values();
  const attackers = Array.from({ length: atOnce }, async () => {
    for (const request of queue) {
      const url = request.listener === 'public' ? server.publicUrl : server.operatorUrl;
      const result = await exchange(url, request);
      const problem = judge(request, result);
      if (problem !== undefined) {
        problems.push({
          problem,
          request: `${request.end} ${JSON.stringify(request.bytes.slice(0, 1_500))}`,
          received: result.received.slice(0, 1_500),
        });
      }
    }
  });
  await Promise.all(attackers);
  return problems;
}

test('hostile requests get no 5xx, every rejection is the error JSON without internal text, and the server keeps working', async () => {
  const problems: Problem[] = [];
  for (let from = 0; from < requestsMax; from += requestsAtATime) {
    const requests = fc.sample(hostileRequest(good), { numRuns: requestsAtATime, seed: seed + from });
    problems.push(...(await attack(requests)));
    await expectGoodCallWorks();
  }
  expect(problems.slice(0, 3)).toEqual([]);
});
