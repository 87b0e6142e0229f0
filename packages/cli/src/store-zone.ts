// Times of the command line without a zone, which are in that of the store, as those of its console and reports.

import type { OperatorClient } from '@opentill/client/operator';
import { load } from '@opentill/server/for-command-line.ts';
import { WallTime } from './arguments.ts';
import { UsageProblem } from './command-context.ts';

/** Returns the values with an instant in place of each time without a zone; only such a time asks the server. */
export async function inStoreZone<Values extends object>(
  values: Values,
  client: Pick<OperatorClient, 'getSession'>,
): Promise<Values> {
  const wallTimes = Object.entries(values).filter(([, value]) => value instanceof WallTime);
  const [first] = wallTimes;
  if (first === undefined) return values;
  const timeZone = await readTimeZone(client, first[1] as WallTime);
  const { instantOfWallTime } = await load.wallTime();
  const instants = wallTimes.map(([name, { text }]) => [name, instantOfWallTime(text, timeZone)]);
  return { ...values, ...Object.fromEntries(instants) };
}

/** A developer, and the key of a checkout, cannot read the zone. */
async function readTimeZone(
  client: Partial<Pick<OperatorClient, 'getSession'>>,
  { text }: WallTime,
): Promise<string> {
  const session = await client.getSession?.().catch((error: unknown) => {
    if ((error as { httpStatus?: number }).httpStatus === forbidden) return undefined;
    throw error;
  });
  if (session !== undefined) return session.timeZone;
  throw new UsageProblem(
    `${text}: expected a time with Z or an offset, because these credentials cannot read the time zone of the store.`,
  );
}

const forbidden = 403;
