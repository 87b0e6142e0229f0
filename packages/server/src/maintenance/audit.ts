// Checks every chain of actions in the database, whether or not a server is running.

import { type Environ, readStoreConfig } from '../config/config.ts';
import { type ChainCheck, checkChain, hasHead } from '../operations/audit/check-chain.ts';
import { storeConnectionOf } from '../program/store-access.ts';
import { StartProblem } from '../runtime/start-problem.ts';
import { listChainNames } from '../store/audit/action-chains.ts';
import { Session } from '../store/connection/session.ts';

/** Names of chains in memory at a time. */
const namesMax = 1_000;

interface VerifyOptions {
  /** undefined: all chains. */
  readonly packageName: string | undefined;
  /** Heads that were logged, which the chains must contain. */
  readonly heads: readonly LoggedHead[];
}

export interface LoggedHead {
  /** Empty for the actions without an app. */
  readonly packageName: string;
  readonly order: number;
  /** In hexadecimal. */
  readonly hash: string;
}

export interface VerifiedChain extends ChainCheck {
  readonly app: string;
}

/** Returns each chain with its head, and the heads that no chain contains. */
export async function verifyAudit(
  env: Environ,
  { packageName, heads }: VerifyOptions,
): Promise<{ readonly chains: readonly VerifiedChain[]; readonly missing: readonly LoggedHead[] }> {
  await using owner = new AsyncDisposableStack();
  const connection = await storeConnectionOf(readStoreConfig(env), { owner, mayMake: false });
  await using session = await Session.open(connection);
  const names = packageName === undefined ? allNames(session) : [packageName];
  const chains: VerifiedChain[] = [];
  for await (const app of names) {
    const check = await checkChain(session, app);
    if (check === undefined) throw new StartProblem(`App not found: ${app}.`);
    if (check.count > 0 || check.firstBroken !== undefined) chains.push({ app, ...check });
  }
  const missing: LoggedHead[] = [];
  for (const head of heads) if (!(await hasHead(session, head))) missing.push(head);
  return { chains, missing };
}

async function* allNames(session: Session): AsyncGenerator<string> {
  for (let after: string | undefined; ; ) {
    const page = await listChainNames(session, after, namesMax);
    yield* page;
    after = page.at(-1);
    if (page.length < namesMax) return;
  }
}
