// Calls that are in flight when a server stops.

import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';

export interface BegunCall {
  /** Sends the rest of the body; returns the status and the text of the response. */
  finish(): Promise<string>;
}

/** Starts a call that the server is processing, but cannot complete before its body has arrived. */
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
