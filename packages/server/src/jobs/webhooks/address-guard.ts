// Limits connections to receivers of webhooks to allowed addresses. The address that is checked is the one that is
// connected to, so a name cannot change its meaning after the check.

import { isIPv6, type LookupFunction, type Socket } from 'node:net';
import { isAllowedAddress, type WebhookRules } from '../../domain/webhooks/webhook-address.ts';
import type { ResolveName } from './name-resolution.ts';

/** The receiver has no address that webhooks may be sent to. */
export class AddressRefused extends Error {
  override readonly name = 'AddressRefused';
}

/** A lookup that returns the allowed addresses only, and fails if there are none. */
export function guardedLookup(rules: WebhookRules, resolveName: ResolveName): LookupFunction {
  return (name, options, callback) => {
    resolveName(name).then(
      (found) => {
        const allowed = found
          .filter((address) => isAllowedAddress(address, rules))
          .map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }));
        const [first] = allowed;
        if (first === undefined) callback(new AddressRefused(), '', 4);
        else if (options.all === true) callback(null, allowed);
        else callback(null, first.address, first.family);
      },
      (error: NodeJS.ErrnoException) => callback(error, '', 4),
    );
  };
}

/** Closes a socket whose peer is not allowed, even if no name was looked up for it. */
export function rejectForbiddenPeer(rules: WebhookRules): (socket: Socket) => void {
  return (socket) => {
    if (!isAllowedAddress(socket.remoteAddress ?? '', rules)) socket.destroy(new AddressRefused());
  };
}
