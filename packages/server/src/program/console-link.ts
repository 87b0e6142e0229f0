// The link that the welcome prints: it signs in to the console as the operator of the key `admin`.

import type { ConsoleLink } from '@opentill/contract/operator-api/createConsoleLink.ts';
import { adminKeyName, type Config } from '../config/config.ts';
import { isLoopback } from '../config/settings.ts';
import { authorOf } from '../operations/console/operator-keys.ts';
import type { OperatorHandler } from '../operations/operator-handler.ts';
import { Refusal } from '../operations/refusal.ts';
import { runOperation } from './own-operation.ts';

/** Only with the demo, whose welcome shows secrets anyway, and only if the link cannot leave this machine. */
export function printsConsoleLink(config: Config, adminKey: string | undefined): boolean {
  const { makesDemo, servesConsole, operatorAddress, isBehindTlsProxy } = config;
  const isLocal = isLoopback(operatorAddress.host) && !isBehindTlsProxy;
  return makesDemo && servesConsole && isLocal && adminKey !== undefined;
}

/** Returns the path of the link on the operator listener. */
export async function createStartLink(handlers: readonly OperatorHandler[], now: number): Promise<string> {
  const madeBy = authorOf({ name: adminKeyName });
  const call = { path: {}, body: { role: 'admin' }, madeBy, now };
  const answer = await runOperation(handlers, 'createConsoleLink', call);
  if (answer instanceof Refusal) throw new Error(`Cannot create the sign-in link: ${answer.detail}`);
  return (answer.body as ConsoleLink).path;
}
