// opentill webhook: configures the webhook of an app and lists its deliveries.

import type { OperatorClient } from '@opentill/client/operator';
import type { Command } from 'commander';
import { oneOf } from '../arguments.ts';
import { type ListOptions, listed, withLimit } from '../listed.ts';
import { callsServer } from '../server-call.ts';
import type { Surroundings } from '../surroundings.ts';
import type { Columns } from '../terminal/output.ts';

type Delivery = Awaited<ReturnType<OperatorClient['listDeliveries']>>['deliveries'][number];

const states = ['delivered', 'waiting', 'held', 'dead'] as const;

export function addWebhookCommands(program: Command, surroundings: Surroundings): void {
  const webhook = program.command('webhook').description('configure webhooks and list deliveries');

  const set = webhook
    .command('set <package-name> <url>')
    .description('set the URL that receives the events of an app; the first time, its secret is shown once');
  callsServer(set, surroundings, async ({ client, output, ending }, packageName = '', url = '') => {
    const put = await client.putWebhook({ packageName, url }, ending);
    output.record(put);
    if ('secret' in put) output.note('Keep the secret now: it is not shown again.');
  });

  const show = webhook.command('show <package-name>').description('print the webhook of an app');
  callsServer(show, surroundings, async ({ client, output, ending }, packageName = '') => {
    output.record(await client.getWebhook({ packageName }, ending));
  });

  const test = webhook
    .command('test <package-name>')
    .description('send a test event; opentill webhook deliveries shows its outcome');
  callsServer(test, surroundings, async ({ client, output, ending }, packageName = '') => {
    output.record(await client.testWebhook({ packageName }, ending));
  });

  addDeliveries(webhook, surroundings);

  const redeliver = webhook
    .command('redeliver <package-name> <delivery-id>')
    .description('deliver an event again now');
  callsServer(
    redeliver,
    surroundings,
    async ({ client, output, ending }, packageName = '', deliveryId = '') => {
      output.record(await client.redeliver({ packageName, deliveryId }, ending));
    },
  );
}

const columns: Columns<Delivery> = {
  id: (delivery) => delivery.id,
  eventTime: (delivery) => delivery.eventTime,
  type: (delivery) => delivery.type,
  purchaseId: (delivery) => delivery.purchaseId,
  state: (delivery) => delivery.state,
  attempts: (delivery) => delivery.attempts.length,
  last: ({ attempts }) => attempts.at(-1)?.httpStatus ?? attempts.at(-1)?.failure,
  dueTime: (delivery) => delivery.dueTime,
};

interface DeliveryOptions extends ListOptions {
  readonly state?: Delivery['state'];
}

function addDeliveries(webhook: Command, surroundings: Surroundings): void {
  const deliveries = withLimit(
    webhook
      .command('deliveries <package-name>')
      .description('list the deliveries of an app, newest first')
      .option('--state <state>', states.join(', '), oneOf(...states)),
  );
  callsServer<DeliveryOptions>(
    deliveries,
    surroundings,
    async ({ client, output, options, ending }, packageName = '') => {
      const { state } = options;
      const found = await listed(options, output, async (page) => {
        const { deliveries: entries, ...next } = await client.listDeliveries(
          { packageName, state, ...page },
          ending,
        );
        return { entries, ...next };
      });
      await output.list(found, columns);
    },
  );
}
