// The instant that a filter of the times of an app means. In the sandbox, a relative one follows the clock of the app.

import { client } from '../api/client.ts';
import { serverNow } from '../runtime/clock.ts';
import { isProduction } from '../runtime/page.ts';
import { instantOf } from './instant-filter.ts';

export async function appInstantOf(
  text: string | undefined,
  packageName: string | undefined,
): Promise<number | undefined> {
  return text === undefined ? undefined : instantOf(text, await nowOf(packageName));
}

async function nowOf(packageName: string | undefined): Promise<number> {
  if (isProduction || packageName === undefined) return serverNow();
  return (await client.getClock({ packageName })).now;
}
