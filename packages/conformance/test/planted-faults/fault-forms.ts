// The kinds of faults: changes to a call or to its correct response.

import type { Reply, Seen } from '../reference-server/answers.ts';
import type { Fault } from '../reference-server/reference-server.ts';
import type { Till } from '../reference-server/till.ts';

export interface PlantedFault {
  readonly name: string;
  /** Exactly the checks that have to find it. */
  readonly finds: readonly string[];
  readonly fault: Fault;
}

// biome-ignore lint/suspicious/noExplicitAny: faults break the types on purpose
type Body = any;

/** Responds to another call than the received one. */
export function reads(change: (seen: Seen, till: Till) => Partial<Seen> | undefined): Fault {
  return (seen, answer, till) => answer({ ...seen, ...change(seen, till) });
}

/** Replaces the Authorization header. */
export function readsHeader(change: (header: string, till: Till) => string | undefined): Fault {
  return reads(({ headers }, till) => ({
    headers: { ...headers, authorization: change(headers['authorization'] ?? '', till) },
  }));
}

/** Replaces the query of the voided list. */
export function readsQuery(change: (query: URLSearchParams) => void): Fault {
  return reads(({ query }) => {
    const changed = new URLSearchParams(query);
    change(changed);
    return { query: changed };
  });
}

/** Ignores a parameter with this format. */
export function forgives(name: string, wrong: RegExp): Fault {
  return readsQuery((query) => {
    if (wrong.test(query.get(name) ?? '')) query.delete(name);
  });
}

/** Changes successful responses of an operation. */
export function spoils(path: RegExp, change: (body: Body, seen: Seen, till: Till) => Body): Fault {
  return (seen, answer, till) => {
    const reply = answer(seen);
    if (!path.test(seen.path) || isRefused(reply)) return reply;
    return { ...reply, body: change(reply.body, seen, till) };
  };
}

/** Changes each entry of the voided list. */
export function spoilsEntries(change: (entry: Body, till: Till) => Body): Fault {
  return spoils(/voided-purchases/, (body, _, till) => ({
    ...body,
    voidedPurchaseList: body.voidedPurchaseList.map((entry: Body) => change(entry, till)),
  }));
}

/** Replaces errors of an operation for calls with a valid token. */
export function insteadOfRefusal(
  path: RegExp,
  make: (seen: Seen, till: Till, reply: Reply) => Reply | undefined,
): Fault {
  return (seen, answer, till) => {
    const reply = answer(seen);
    const isMet = path.test(seen.path) && isRefused(reply) && errorCodeOf(reply) !== 401;
    return isMet ? (make(seen, till, reply) ?? reply) : reply;
  };
}

export function isRefused({ body }: Reply): boolean {
  return Object.hasOwn(body as object, 'error');
}

export function errorCodeOf({ body }: Reply): number | undefined {
  return (body as { error?: { code: number } }).error?.code;
}
