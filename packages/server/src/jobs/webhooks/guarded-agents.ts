// Connections to receivers of webhooks. Each is made to an address that was looked up for it and found to be
// allowed, so that a name cannot mean another address once it has been checked.

import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { isIPv6, type LookupFunction, type Socket } from 'node:net';
import { isAllowedAddress, type WebhookRules } from '../../domain/webhook-address.ts';
import type { ResolveName } from './name-resolution.ts';

/** The receiver has no address that webhooks may be sent to. */
export class AddressRefused extends Error {
  override readonly name = 'AddressRefused';
}

/** Connections that are kept open although nobody uses them: for so long, in ms, and so many to one receiver. */
const idleMs = 5_000;
const idleMax = 32;

interface GuardedAgents {
  readonly http: HttpAgent;
  readonly https: HttpsAgent;
}

/** `certificateAuthorities` take the place of those that the process trusts. */
export function guardedAgents(
  rules: WebhookRules,
  {
    resolveName,
    certificateAuthorities,
  }: { readonly resolveName: ResolveName; readonly certificateAuthorities?: string | undefined },
): GuardedAgents {
  const settings = {
    keepAlive: true,
    timeout: idleMs,
    maxFreeSockets: idleMax,
    lookup: guardedLookup(rules, resolveName),
  };
  const ca = certificateAuthorities === undefined ? {} : { ca: certificateAuthorities };
  return {
    http: guard(new HttpAgent(settings), rules),
    https: guard(new HttpsAgent({ ...settings, ...ca }), rules),
  };
}

/** A look-up for a connection: it gives the allowed addresses alone, and fails when there are none. */
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

/** Whatever way the address was come by, a connection to one that is not allowed ends before a byte is sent. */
function guard<Guarded extends HttpAgent>(agent: Guarded, rules: WebhookRules): Guarded {
  const create = agent.createConnection.bind(agent);
  agent.createConnection = (...made: Parameters<typeof create>) => {
    const socket = create(...made) as Socket;
    socket.prependOnceListener('connect', () => {
      if (!isAllowedAddress(socket.remoteAddress ?? '', rules)) socket.destroy(new AddressRefused());
    });
    return socket;
  };
  return agent;
}
