// Checks the chains of actions: each app has one, and the actions without an app have one together.

import type { OperatorOperations } from '@opentill/client/operator';
import { client } from './client.ts';

type ActionCheck = Awaited<ReturnType<OperatorOperations['checkActions']>>;

export interface CheckedChain extends ActionCheck {
  /** undefined: the chain of the actions without an app. */
  readonly packageName: string | undefined;
}

interface ChainsProgress {
  readonly checked: readonly CheckedChain[];
  /** Of all chains. */
  readonly count: number;
}

const appsPerPage = 200;

async function readPackageNames(): Promise<readonly string[]> {
  const names: string[] = [];
  let pageToken: string | undefined;
  do {
    const page = await client.listApps({ pageSize: appsPerPage, pageToken });
    names.push(...page.apps.map(({ packageName }) => packageName));
    pageToken = page.nextPageToken;
  } while (pageToken !== undefined);
  return names;
}

/** Checks the chain of one app, or all chains one after the other. */
export async function checkChains(
  packageName: string | undefined,
  onProgress: (progress: ChainsProgress) => void,
): Promise<void> {
  const chains = packageName === undefined ? [undefined, ...(await readPackageNames())] : [packageName];
  const checked: CheckedChain[] = [];
  for (const chain of chains) {
    checked.push({ packageName: chain, ...(await client.checkActions({ packageName: chain })) });
    onProgress({ checked: [...checked], count: chains.length });
  }
}
