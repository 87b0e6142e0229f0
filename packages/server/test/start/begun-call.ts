// Calls that are in flight when a server stops.

import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';

/** Starts a call that the server is processing, but cannot complete before its body has arrived. */
export async function beginPost(url: string, token: string, body = '{}') {
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
    /** Sends the rest of the body; returns the status and the text of the response. */
    async finish() {
      sent.end(body);
      const [response] = (await once(sent, 'response')) as [IncomingMessage];
      const chunks = await Array.fromAsync(response);
      return `${response.statusCode} ${Buffer.concat(chunks)}`;
    },
  };
}

export const isRefused = (url: string): Promise<boolean> =>
  fetch(url).then(
    () => false,
    () => true,
  );
