// The ways in which a fault gets between a call and its right answer.

import type { Reply, Seen } from '../reference-server/answers.ts';
import type { Fault } from '../reference-server/reference-server.ts';
import type { Till } from '../reference-server/till.ts';

export interface PlantedFault {
  readonly name: string;
  /** The checks that have to find it, and no others. */
  readonly finds: readonly string[];
  readonly fault: Fault;
}

// biome-ignore lint/suspicious/noExplicitAny: faults break the types on purpose
type Body = any;

/** Answers another call than the one that came. */
export function reads(change: (seen: Seen, till: Till) => Partial<Seen> | undefined): Fault {
  return (seen, answer, till) => answer({ ...seen, ...change(seen, till) });
}

/** Takes the Authorization header for another one. */
export function readsHeader(change: (header: string, till: Till) => string | undefined): Fault {
  return reads(({ headers }, till) => ({
    headers: { ...headers, authorization: change(headers['authorization'] ?? '', till) },
  }));
}

/** Takes the query of the voided list for another one. */
export function readsQuery(change: (query: URLSearchParams) => void): Fault {
  return reads(({ query }) => {
    const changed = new URLSearchParams(query);
    change(changed);
    return { query: changed };
  });
}

/** Drops a parameter of this form. */
export function forgives(name: string, wrong: RegExp): Fault {
  return readsQuery((query) => {
    if (wrong.test(query.get(name) ?? '')) query.delete(name);
  });
}

/** Spoils successful answers of this operation's path. */
export function spoils(path: RegExp, change: (body: Body, seen: Seen, till: Till) => Body): Fault {
  return (seen, answer, till) => {
    const reply = answer(seen);
    if (!path.test(seen.path) || isRefused(reply)) return reply;
    return { ...reply, body: change(reply.body, seen, till) };
  };
}

/** Spoils each entry of the voided list. */
export function spoilsEntries(change: (entry: Body, till: Till) => Body): Fault {
  return spoils(/voided-purchases/, (body, _, till) => ({
    ...body,
    voidedPurchaseList: body.voidedPurchaseList.map((entry: Body) => change(entry, till)),
  }));
}

/** Gives this in place of a refusal of this operation's path, where the token was good. */
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
