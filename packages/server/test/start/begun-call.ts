// Calls that are under way when a server stops, and how its end is seen.

import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';

export interface BegunCall {
  /** Sends the rest of the body; gives status and text of the answer. */
  finish(): Promise<string>;
}

/** A call that the server has begun with, and cannot answer before its body is there. */
export async function beginPost(url: string, token: string, body = '{}'): Promise<BegunCall> {
  const agent = new Agent({ keepAlive: true });
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
    expect: '100-continue',
  };
  const sent = request(url, { method: 'POST', headers, agent });
  sent.flushHeaders();
  await once(sent, 'continue');
  return {
    async finish() {
      sent.end(body);
      const [response] = (await once(sent, 'response')) as [IncomingMessage];
      const chunks = await Array.fromAsync(response);
      return `${response.statusCode} ${Buffer.concat(chunks)}`;
    },
  };
}

export async function isRefused(url: string): Promise<boolean> {
  try {
    await fetch(url);
    return false;
  } catch {
    return true;
  }
}
