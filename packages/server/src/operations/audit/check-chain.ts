// Computes the hashes of a chain of actions again and compares them with the stored ones (docs/decisions/audit.md).

import { actionHash } from '../../domain/audit/action-hash.ts';
import { findChain, listChain } from '../../store/audit/action-chains.ts';
import type { Queryable } from '../../store/connection/database.ts';

/** Actions in memory at a time. */
const pageMax = 1_000;

export interface ChainCheck {
  readonly count: number;
  /** In hexadecimal; absent for an empty chain. */
  readonly head?: string;
  /** The order of the first action that is missing, changed or inserted; absent if there is none. */
  readonly firstBroken?: number;
}

/** Checks the chain up to its present end, without what is appended during the check; undefined for an unknown app. */
export async function checkChain(queryable: Queryable, packageName: string): Promise<ChainCheck | undefined> {
  const chain = await findChain(queryable, packageName);
  if (chain === undefined) return undefined;
  const head = chain.head?.toString('hex');
  const { inserted } = chain;
  const firstBroken =
    inserted === 0 ? 0 : ((await findBroken(queryable, packageName, chain)) ?? inserted ?? undefined);
  return {
    count: chain.order,
    ...(head !== undefined && { head }),
    ...(firstBroken !== undefined && { firstBroken }),
  };
}

/** Whether the action of an app with this order has this hash, in hexadecimal. */
export async function hasHead(
  queryable: Queryable,
  {
    packageName,
    order,
    hash,
  }: { readonly packageName: string; readonly order: number; readonly hash: string },
): Promise<boolean> {
  const [action] = await listChain(queryable, { packageName, after: order - 1, limit: 1 });
  return action?.order === order && action.hash.toString('hex') === hash;
}

async function findBroken(
  queryable: Queryable,
  packageName: string,
  { order: count, head }: { readonly order: number; readonly head: Buffer | null },
): Promise<number | undefined> {
  let previous: Buffer | null = null;
  let order = 0;
  while (order < count) {
    const limit = Math.min(pageMax, count - order);
    const page = await listChain(queryable, { packageName, after: order, limit });
    for (const { hash, ...fields } of page) {
      order += 1;
      if (fields.order !== order || !hash.equals(actionHash(fields, previous))) return order;
      previous = hash;
    }
    if (page.length < limit) return order + 1;
  }
  const isEnd = head === null ? count === 0 : previous?.equals(head) === true;
  return isEnd ? undefined : count;
}
