// Who calls: what is counted for an address is counted for this one.

import { isIP } from 'node:net';
import type { FastifyRequest } from 'fastify';

/** `192.0.2.1:4711` and `[2001:db8::1]:4711`, as some proxies write an address; the brackets may stand alone. */
const withPort = /^(?:\[([\da-f:.]+)\](?::\d+)?|([\d.]+):\d+)$/i;

/**
 * The caller's IP address. Behind a proxy that is what the proxy has seen, the last X-Forwarded-For; where that is
 * no address, it is the proxy's own.
 */
export function callerAddress({ ip, socket }: Pick<FastifyRequest, 'ip' | 'socket'>): string {
  const [, inBrackets, beforePort] = withPort.exec(ip) ?? [];
  const address = inBrackets ?? beforePort ?? ip;
  return isIP(address) === 0 ? (socket.remoteAddress ?? '') : address;
}
