// The addresses of a receiver's name. A slow name server holds up only those whose names it has to tell: names are
// asked for without the few threads that the whole process shares (docs/decisions/webhooks.md).

import { lookup, Resolver } from 'node:dns/promises';
import PQueue from 'p-queue';
import { isLoopbackName } from '../../domain/webhooks/webhook-address.ts';

/** The IP addresses of a name, of either kind; an error with a `code` when there is none. */
export type ResolveName = (name: string) => Promise<readonly string[]>;

/** An attempt has 10 seconds: a name server gets three tries within half of them. */
const resolverSettings = { timeout: 1_500, tries: 3 } as const;

/** Of the process's threads, which also read files, so many may wait for the machine's own names. */
const lookupsAtOnceMax = 2;

const noSuchName: ReadonlySet<unknown> = new Set(['ENOTFOUND', 'ENODATA']);

const codeOf = (error: unknown): unknown => (error as { readonly code?: unknown } | undefined)?.code;

/** `servers` (addresses with their ports) take the place of those of the machine. */
export function nameResolution(servers?: readonly string[]): ResolveName {
  const resolver = new Resolver(resolverSettings);
  if (servers !== undefined) resolver.setServers(servers);
  const lookups = new PQueue({ concurrency: lookupsAtOnceMax });
  return together(async (name) => {
    if (isLoopbackName(name)) return ['127.0.0.1', '::1'];
    const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    const found = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    if (found.length > 0) return found;
    const failures = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason] : []));
    const failure = failures.find((error) => !noSuchName.has(codeOf(error)));
    if (failure !== undefined) throw failure;
    // The name servers know no such name. The machine's own table of hosts may.
    const own = await lookups.add(() => lookup(name, { all: true }));
    return own.map(({ address }) => address);
  });
}

/** Those who ask for a name while it is being asked for share the answer; nobody gets an older one. */
function together(resolve: ResolveName): ResolveName {
  const underWay = new Map<string, Promise<readonly string[]>>();
  return (name) => {
    const known = underWay.get(name);
    if (known !== undefined) return known;
    const resolving = resolve(name).finally(() => underWay.delete(name));
    underWay.set(name, resolving);
    return resolving;
  };
}
