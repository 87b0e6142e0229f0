// opentill subscription: shows subscriptions, and cancels or reactivates auto-payment.

import type { Attempt, OperatorClient, Subscription } from '@opentill/client/operator';
import type { Command } from 'commander';
import { oneOf } from '../arguments.ts';
import { type ListOptions, listed, withLimit } from '../listed.ts';
import { type ReasonOptions, reasonFrom, withReason } from '../reason-options.ts';
import { callsServer } from '../server-call.ts';
import type { Surroundings } from '../surroundings.ts';
import type { Output } from '../terminal/output.ts';
import { attemptColumns } from './renewal-commands.ts';

export function addSubscriptionCommands(program: Command, surroundings: Surroundings): void {
  const subscription = program
    .command('subscription')
    .description('show subscriptions, cancel and reactivate auto-payment, settle charges');
  const named = (name: string, description: string) =>
    subscription.command(`${name} <package-name> <first-purchase-id>`).description(description);

  callsServer(
    named('show', 'print a subscription with its months'),
    surroundings,
    async ({ client, output, ending }, packageName = '', firstPurchaseId = '') => {
      await show(output, await client.getSubscription({ packageName, firstPurchaseId }, ending));
    },
  );

  const cancel = withReason(
    named('cancel', 'turn off auto-payment; access lasts until the end of the paid period').option(
      '--reason <reason>',
      'customer (the default) or system',
      oneOf('customer', 'system'),
    ),
  );
  callsServer<{ reason?: Parameters<OperatorClient['cancelSubscription']>[0]['reason'] } & ReasonOptions>(
    cancel,
    surroundings,
    async ({ client, output, options, ending }, packageName = '', firstPurchaseId = '') => {
      const { reason } = options;
      const why = { reason, ...reasonFrom(options) };
      await show(output, await client.cancelSubscription({ packageName, firstPurchaseId, ...why }, ending));
    },
  );

  callsServer<ReasonOptions>(
    withReason(named('reactivate', 'turn auto-payment on again before the subscription expires')),
    surroundings,
    async ({ client, output, options, ending }, packageName = '', firstPurchaseId = '') => {
      const call = { packageName, firstPurchaseId, ...reasonFrom(options) };
      await show(output, await client.reactivateSubscription(call, ending));
    },
  );

  addAttempts(subscription, surroundings);
  addSettle(subscription, surroundings);
}

function addAttempts(subscription: Command, surroundings: Surroundings): void {
  const attempts = withLimit(
    subscription
      .command('attempts <package-name> <first-purchase-id>')
      .description('list the attempts to charge a subscription, newest first'),
  );
  callsServer<ListOptions>(
    attempts,
    surroundings,
    async ({ client, output, options, ending }, packageName = '', firstPurchaseId = '') => {
      const entries = await listed(options, output, async (page) => {
        const asked = { packageName, firstPurchaseId, ...page };
        const { attempts: some, ...next } = await client.listAttempts(asked, ending);
        return { entries: some, ...next };
      });
      await output.list(entries, attemptColumns);
    },
  );
}

interface SettleOptions {
  readonly outcome: NonNullable<Attempt['outcome']>;
  readonly note: string;
}

function addSettle(subscription: Command, surroundings: Surroundings): void {
  const settle = subscription
    .command('settle <package-name> <first-purchase-id> <month> <attempt>')
    .description('settle an attempt whose outcome the payment gateway does not report')
    .requiredOption(
      '--outcome <outcome>',
      'what the payment provider did: paid, declined or declined_final',
      oneOf('paid', 'declined', 'declined_final'),
    )
    .requiredOption('--note <text>', 'how the outcome is known');
  callsServer<SettleOptions>(
    settle,
    surroundings,
    async ({ client, output, options, ending }, ...[packageName = '', firstPurchaseId = '', ...numbers]) => {
      const [periodIndex = '', attempt = ''] = numbers;
      const { outcome, note } = options;
      const sent = { packageName, firstPurchaseId, periodIndex, attempt, outcome, note };
      output.record(await client.settleAttempt(sent, ending));
    },
  );
}

async function show(output: Output, whole: Subscription): Promise<void> {
  const { months: rows, ...fields } = whole;
  await output.recordWithList(
    { whole, fields, rows },
    {
      month: (month) => month.periodIndex,
      purchaseId: (month) => month.purchaseId,
      startTime: (month) => month.startTime,
      expiryTime: (month) => month.expiryTime,
      price: (month) => month.price,
      state: (month) => (month.purchaseState === 1 ? 'voided' : 'completed'),
    },
  );
}
