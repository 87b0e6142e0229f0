// The client at the other end of a connection: its address, and whether it is still there.

import { isIP } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import ipaddr from 'ipaddr.js';
import { LRUCache } from 'lru-cache';
import { type AddressRange, isInRange } from '../../domain/address-range.ts';

/** Whether an address is that of a proxy whose X-Forwarded-For names the client. */
export type IsTrustedProxy = (address: string) => boolean;

/** The latest peers are remembered, because parsing an address for each call takes a seventh of the time of a read. */
const peersMax = 1_000;

/** Trusts the proxies of OPENTILL_TRUSTED_PROXIES. */
export function trustProxies(proxies: readonly AddressRange[]): IsTrustedProxy {
  const peers = new LRUCache<string, boolean>({
    max: peersMax,
    // A listener on `::` sees IPv4 addresses embedded in IPv6 ones.
    memoMethod: (text) =>
      ipaddr.isValid(text) && proxies.some((range) => isInRange(ipaddr.process(text), range)),
  });
  return (text) => peers.memo(text);
}

/** Some proxies write `192.0.2.1:4711`, `[2001:db8::1]:4711` or `[2001:db8::1]`. */
const withPort = /^(?:\[([\da-f:.]+)\](?::\d+)?|([\d.]+):\d+)$/i;

/** The last X-Forwarded-For if a proxy is configured and sends an IP address, otherwise the address of the peer. */
export function clientAddress({ ip, socket }: Pick<FastifyRequest, 'ip' | 'socket'>): string {
  if (ip === socket.remoteAddress) return ip;
  const [, inBrackets, beforePort] = withPort.exec(ip) ?? [];
  const address = inBrackets ?? beforePort ?? ip;
  return isIP(address) === 0 ? (socket.remoteAddress ?? '') : address;
}

/**
 * Aborted when the connection is closed or the client has ended its side: most clients that do so have left. Fastify's
 * request.signal ignores the latter, because the listener keeps half-open connections.
 */
export function disconnectSignal(request: FastifyRequest, reply: FastifyReply): AbortSignal {
  const disconnected = new AbortController();
  const { socket } = request.raw;
  const onEnd = (): void => disconnected.abort();
  if (socket.readableEnded) onEnd();
  socket.once('end', onEnd);
  reply.raw.once('close', () => {
    socket.off('end', onEnd);
    onEnd();
  });
  return disconnected.signal;
}
