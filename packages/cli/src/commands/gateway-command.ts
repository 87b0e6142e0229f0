// opentill gateway test: rehearses the payment gateway of the settings with requests that charge nobody.

import { createInterface } from 'node:readline/promises';
import { load, type SettingName, secureRandomness, systemClock } from '@opentill/server/for-command-line.ts';
import type { Command } from 'commander';
import { type CommandContext, UsageProblem } from '../command-context.ts';
import { printChecks } from './check-results.ts';
import { worksOnStore } from './store-command.ts';

const gatewaySettings: readonly SettingName[] = [
  'OPENTILL_PAYMENT_GATEWAY_URL',
  'OPENTILL_PAYMENT_GATEWAY_SECRET',
  'OPENTILL_PAYMENT_GATEWAY_SECRET_FILE',
];

export function addGateway(program: Command, context: CommandContext): void {
  const gateway = program.command('gateway').description('rehearse the payment gateway');
  const test = gateway
    .command('test')
    .description('send requests that charge nobody to the payment gateway, and check its responses')
    .option('--yes', 'do not ask before the requests are sent')
    .option('--json', 'print JSON');
  worksOnStore<{ yes?: true }>(
    test,
    { context, settings: gatewaySettings },
    async ({ env, options, output }) => {
      const { gatewayUrl, testGateway } = await load.gatewayTest();
      if (options.yes !== true) await confirm(context, `Send test requests to ${gatewayUrl(env)}?`);
      const checks = testGateway(env, { clock: systemClock, randomness: secureRandomness });
      await printChecks(checks, { output, context });
    },
  );
}

/** @throws UsageProblem unless a person agrees. */
async function confirm({ stdin, stderr, signal }: CommandContext, question: string): Promise<void> {
  if (stdin.isTTY !== true) throw new UsageProblem(`${question} There is no terminal to ask: use --yes.`);
  const asking = createInterface({ input: stdin, output: stderr });
  try {
    const answer = await asking.question(`${question} Type yes: `, { signal });
    if (answer.trim() !== 'yes') throw new UsageProblem('Nothing was sent.');
  } finally {
    asking.close();
  }
}
