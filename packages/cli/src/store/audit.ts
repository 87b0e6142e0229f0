// The audit verify command: checks every chain of actions in the database, whether or not a server is running.

import { readStoreConfig } from '@opentill/server/config.ts';
import { type ChainCheck, checkChain, hasHead } from '@opentill/server/operations/audit/check-chain.ts';
import { StartProblem } from '@opentill/server/runtime/start-problem.ts';
import { listChainNames } from '@opentill/server/store/audit/action-chains.ts';
import { Session } from '@opentill/server/store/connection/session.ts';
import { storeConnectionOf } from '@opentill/server/store-access.ts';
import type { Surroundings } from '../surroundings.ts';
import type { Columns, Output } from '../terminal/output.ts';

/** Names of chains in memory at a time. */
const namesMax = 1_000;

interface VerifyOptions {
  /** undefined: all chains. */
  readonly packageName: string | undefined;
  /** Heads that were logged, which the chains must contain. */
  readonly heads: readonly LoggedHead[];
  readonly output: Output;
}

export interface LoggedHead {
  /** Empty for the actions without an app. */
  readonly packageName: string;
  readonly order: number;
  /** In hexadecimal. */
  readonly hash: string;
}

interface VerifiedChain extends ChainCheck {
  readonly app: string;
}

const columns: Columns<VerifiedChain> = {
  app: ({ app }) => app || '(no app)',
  actions: ({ count }) => count,
  verdict: ({ firstBroken }) => (firstBroken === undefined ? 'intact' : `broken at ${firstBroken}`),
  head: ({ head }) => head,
};

/** Prints each chain with its head, and returns whether all are intact. */
export async function verifyAudit(
  env: Surroundings['env'],
  { packageName, heads, output }: VerifyOptions,
): Promise<boolean> {
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
  await output.list(chains, columns);
  for (const head of heads) {
    if (await hasHead(session, head)) continue;
    throw new StartProblem(
      `The chain of ${head.packageName || 'actions without an app'} does not contain the head ${head.hash} at ${head.order}.`,
    );
  }
  return chains.every(({ firstBroken }) => firstBroken === undefined);
}

async function* allNames(session: Session): AsyncGenerator<string> {
  for (let after: string | undefined; ; ) {
    const page = await listChainNames(session, after, namesMax);
    yield* page;
    after = page.at(-1);
    if (page.length < namesMax) return;
  }
}
