// Posts to one address over connections that are kept. It follows no redirect, and an answer has a bound on its time
// and on its size. By node:http, since fetch takes three times the processor time for each call.

import * as http from 'node:http';
import * as https from 'node:https';
import { urlToHttpOptions } from 'node:url';
import { AnswerDeadline } from '../../runtime/answer-deadline.ts';
import { isStale } from '../stale-connection.ts';

interface PostLimits {
  /** From the first byte to the end of the answer, ms. */
  readonly withinMs: number;
  readonly answerBytesMax: number;
}

interface Post {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Calls it off, whatever it waits for. */
  readonly signal: AbortSignal | undefined;
}

interface PostAnswer {
  readonly status: number;
  /** Undefined for one that is too large; the connection is then given up. */
  readonly text: string | undefined;
}

/** There was no whole answer in time. */
export class NoAnswerInTime extends Error {}

/** The kept connection of a call had ended before anything of an answer came. */
class StaleConnection extends Error {}

/** One post; its call is another one when the first went out on a stale connection. */
interface Posting {
  call: http.ClientRequest;
}

/**
 * A function that posts; it fails when there is no whole answer, and then nobody knows what has happened. What is
 * posted may arrive twice: the receiver has to tell by its key.
 */
export function boundedPost(
  url: string,
  { withinMs, answerBytesMax }: PostLimits,
): (post: Post) => Promise<PostAnswer> {
  const target = new URL(url);
  const { Agent, request } = target.protocol === 'https:' ? https : http;
  const kept = new Agent({ keepAlive: true });
  const address = { ...urlToHttpOptions(target), method: 'POST' };
  const deadline = new AnswerDeadline(withinMs, ({ call }: Posting) => {
    call.destroy(new NoAnswerInTime());
  });
  return async ({ headers, body, signal }) => {
    const length = String(Buffer.byteLength(body));
    const options = { ...address, headers: { ...headers, 'content-length': length } };
    const open = (agent: http.Agent | false) =>
      request(signal === undefined ? { ...options, agent } : { ...options, agent, signal });
    const posting: Posting = { call: open(kept) };
    const wait = deadline.begin(posting);
    try {
      return await answerOf(posting.call, body, answerBytesMax);
    } catch (error) {
      if (!(error instanceof StaleConnection)) throw error;
      posting.call = open(false);
      return await answerOf(posting.call, body, answerBytesMax);
    } finally {
      wait.answered();
    }
  };
}

function answerOf(call: http.ClientRequest, body: string, bytesMax: number): Promise<PostAnswer> {
  return new Promise((resolve, reject) => {
    let hasBegun = false;
    call.on('error', (error) => {
      reject(
        !hasBegun && isStale(call, error) ? new StaleConnection(error.message, { cause: error }) : error,
      );
    });
    // Also without an error or an answer: when the other side wants to speak another protocol (101).
    call.on('close', () => {
      if (!hasBegun) reject(new Error('the connection ended without an answer'));
    });
    call.on('response', (response) => {
      hasBegun = true;
      const { statusCode: status = 0 } = response;
      const chunks: Buffer[] = [];
      let length = 0;
      response.on('error', reject);
      response.on('data', (chunk: Buffer) => {
        length += chunk.byteLength;
        chunks.push(chunk);
        if (length <= bytesMax) return;
        response.destroy();
        resolve({ status, text: undefined });
      });
      response.on('end', () => resolve({ status, text: Buffer.concat(chunks).toString('utf8') }));
    });
    call.end(body);
  });
}
