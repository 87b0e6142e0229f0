// Finds the addresses of receivers of webhooks and limits connections to allowed ones. The address that is checked is the one
// that is connected to, so a name cannot change its meaning after the check. Names are resolved without the few threads of
// the process, so that a slow name server delays only its own names (docs/decisions/events.md).

import { lookup, Resolver } from 'node:dns/promises';
import { isIPv6, type LookupFunction, type Socket } from 'node:net';
import PQueue from 'p-queue';
import {
  isAllowedAddress,
  isLoopbackName,
  type WebhookRules,
} from '../../domain/webhooks/webhook-address.ts';

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

/** Returns the IPv4 and IPv6 addresses of a name; fails with an error that has a `code` if there is none. */
export type ResolveName = (name: string) => Promise<readonly string[]>;

/** Three tries take less than half of the 10 seconds of an attempt. */
const resolverSettings = { timeout: 1_500, tries: 3 } as const;

/** Threads of the process that may look up names in the machine's hosts file; others are needed to read files. */
const lookupsAtOnceMax = 2;

const notFoundCodes: ReadonlySet<unknown> = new Set(['ENOTFOUND', 'ENODATA']);

const codeOf = (error: unknown): unknown => (error as { readonly code?: unknown } | undefined)?.code;

/** `servers` (addresses with ports) replace those of the machine. */
export function nameResolution(servers?: readonly string[]): ResolveName {
  const resolver = new Resolver(resolverSettings);
  if (servers !== undefined) resolver.setServers(servers);
  const lookups = new PQueue({ concurrency: lookupsAtOnceMax });
  return async (name) => {
    if (isLoopbackName(name)) return ['127.0.0.1', '::1'];
    const responses = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    const found = responses
      .filter((response) => response.status === 'fulfilled')
      .flatMap(({ value }) => value);
    if (found.length > 0) return found;
    const failures = responses
      .filter((response) => response.status === 'rejected')
      .map(({ reason }) => reason);
    const failure = failures.find((error) => !notFoundCodes.has(codeOf(error)));
    if (failure !== undefined) throw failure;
    // The name servers do not have the name; the machine's hosts file may.
    const own = await lookups.add(() => lookup(name, { all: true }));
    return own.map(({ address }) => address);
  };
}
