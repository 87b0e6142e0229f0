// The proxies whose X-Forwarded-For names the client: those on this machine, and those of OPENTILL_TRUSTED_PROXIES.

import type { FastifyInstance } from 'fastify';
import ipaddr from 'ipaddr.js';
import { type AddressRange, isInRange } from '../../domain/address-range.ts';
import type { Log } from '../../runtime/log.ts';

const forwardingHeaders = ['x-forwarded-for', 'forwarded'];

/** Whether an address is that of a trusted proxy. */
export type IsTrustedProxy = (address: string) => boolean;

export function trustProxies(proxies: readonly AddressRange[]): IsTrustedProxy {
  // A listener on `::` sees IPv4 addresses embedded in IPv6 ones.
  return (text) => ipaddr.isValid(text) && proxies.some((range) => isInRange(ipaddr.process(text), range));
}

/** Logs once that a forwarding header was ignored, because it came from an address that is not trusted. */
export function warnOfUntrustedProxies(server: FastifyInstance, isTrusted: IsTrustedProxy, log: Log): void {
  let isLogged = false;
  server.addHook('onRequest', ({ headers, socket }, _reply, done) => {
    const address = socket.remoteAddress ?? '';
    const isForwarded = () => forwardingHeaders.some((name) => headers[name] !== undefined);
    if (!isLogged && isForwarded() && !isTrusted(address)) {
      isLogged = true;
      log.warn(
        { address },
        'ignored the forwarding header of a request: if its address is that of your proxy, add it to OPENTILL_TRUSTED_PROXIES',
      );
    }
    done();
  });
}
