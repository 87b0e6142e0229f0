// Names in the log, once each, what a proxy sends that is not set up for this server: its operator sees only calls that fail.

import type { onRequestHookHandler } from 'fastify';
import type { Log } from '../../runtime/log.ts';
import type { IsTrustedProxy } from './client.ts';

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
