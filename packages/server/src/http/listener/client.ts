// The client at the other end of a connection: its address, whether it is still there, and once in the log what a proxy in
// between sends that is not set up for this server, because its operator sees only calls that fail.

import { isIP } from 'node:net';
import type { FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify';
import ipaddr from 'ipaddr.js';
import { LRUCache } from 'lru-cache';
import { type AddressRange, isInRange } from '../../domain/address-range.ts';
import type { Log } from '../../runtime/log.ts';

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

type Warn = (address: string | undefined) => void;

function warnOnce(log: Log, message: string): Warn {
  let isDone = false;
  return (address) => {
    if (isDone) return;
    isDone = true;
    log.warn({ address }, message);
  };
}

const forwardingHeaders = ['x-forwarded-for', 'forwarded'];

interface ProxyWarnings {
  readonly log: Log;
  readonly isTrustedProxy: IsTrustedProxy | undefined;
}

/** A forwarding header that is ignored, because it came from an address that is not trusted, and HAProxy's default check. */
export function warnOfProxies({ log, isTrustedProxy }: ProxyWarnings): onRequestHookHandler {
  const ofHeader = warnOnce(
    log,
    'ignored the forwarding header of a request: if its address is that of your proxy, add it to OPENTILL_TRUSTED_PROXIES',
  );
  const ofCheck = warnOnce(
    log,
    "rejected OPTIONS / of HTTP/1.0, as the default check of HAProxy's option httpchk is: let it check GET /health/ready of the operator listener",
  );
  return ({ headers, method, url, socket, raw }, _reply, done) => {
    const address = socket.remoteAddress;
    const isForwarded = forwardingHeaders.some((name) => headers[name] !== undefined);
    if (isForwarded && isTrustedProxy !== undefined && !isTrustedProxy(address ?? '')) ofHeader(address);
    if (method === 'OPTIONS' && url === '/' && raw.httpVersion === '1.0') ofCheck(address);
    done();
  };
}

/** The first bytes of a connection, in either version. */
const proxyProtocol = /^(?:PROXY |\r\n\r\n\0\r\nQUIT\n)/;

/** For the bytes that the parser of HTTP rejects. */
export function warnOfProxyProtocol(
  log: Log,
): (error: Error & { readonly rawPacket?: Buffer }, address: string | undefined) => void {
  const warn = warnOnce(
    log,
    'rejected a connection that began with the PROXY protocol: let the proxy send HTTP with X-Forwarded-For, in HAProxy without send-proxy',
  );
  return ({ rawPacket }, address) => {
    if (rawPacket !== undefined && proxyProtocol.test(rawPacket.toString('latin1'))) warn(address);
  };
}
