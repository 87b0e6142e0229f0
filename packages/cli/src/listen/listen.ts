// opentill listen: follows the event feed of an app and posts each event, as the app's webhook would be called.

import { resolve } from 'node:path';
import { type Event, PurchaseClient } from '@opentill/client';
import { fromNow } from '@opentill/contract/event-feed.ts';
import { eventTypes } from '@opentill/contract/events.ts';
import {
  findSecretFile,
  load,
  type SendOutcome,
  secureRandomness,
  type WebhookRules,
} from '@opentill/server/for-command-line.ts';
import { type CommandContext, UsageProblem } from '../command-context.ts';
import { type FeedQuery, followFeed } from '../event-feed.ts';
import {
  listenerUrlOf,
  newClient,
  publicListener,
  readNamedFile,
  textOf,
  trustAuthority,
  variableOf,
} from '../server-call.ts';
import { type Columns, Output } from '../terminal/output.ts';
import { type ForwardedEvent, forwardPage, purchaseIdOf } from './forward-page.ts';
import { type ListenOptions, secretVariable } from './listen-options.ts';

const {
  formatWebhookSecret,
  generatedSecretBytes,
  parseRange,
  parseWebhookSecret,
  parseWebhookUrl,
  webhookSender,
} = await load.webhooks();

/** Events of a page, which may all be posted at once. */
const pageSize = 32;

const anyAddress = ['0.0.0.0/0', '::/0'].map(parseRange).filter((range) => range !== undefined);

/** The user of the command chooses the URL, so it may be on any machine. */
const rules: WebhookRules = { allowsHttp: true, allowsLoopback: true, allowedRanges: anyAddress };

const columns: Columns<ForwardedEvent> = {
  order: ({ event }) => event.order,
  type: ({ event }) => event.type,
  purchaseId: ({ event }) => purchaseIdOf(event),
  id: ({ event }) => event.id,
  response: ({ outcome, isSkipped }) => `${isSkipped ? 'skipped after ' : ''}${responseOf(outcome)}`,
  latency: ({ outcome }) => `${Math.round(outcome.latencyMs)} ms`,
};

export async function listen(options: ListenOptions, context: CommandContext): Promise<void> {
  const { env } = context;
  await trustAuthority(options.ca, env);
  const output = new Output(context, options);
  const url = urlOf(options.forwardTo);
  const types = typesOf(options.events);
  const host = options.host ?? listenerUrlOf(env, publicListener);
  const { clientId } = options;
  const clientSecret = await findClientSecret(options, env);
  const client = newClient(() => new PurchaseClient({ host, clientId, clientSecret, packageName: clientId }));
  const secret = secretOf(options.secret, output);
  const { signal } = context;
  const sender = webhookSender(rules);
  signal.addEventListener('abort', () => sender.close());
  const forwarding = {
    sender,
    url,
    secret,
    signal,
    retryMs: options.retrySeconds * 1_000,
    onFailed: ({ id }: Event, outcome: SendOutcome) =>
      output.note(`${id}: ${responseOf(outcome)}; retried for ${options.retrySeconds} s.`),
    onDone: (done: ForwardedEvent) =>
      output.entry(options.json === true ? entryOf(done) : done, columns as Columns<object>),
  };
  const read = (query: FeedQuery) => client.listEvents({ ...query, pageSize }, { signal });
  try {
    await followFeed(
      { read, after: options.from ?? fromNow, flag: '--from', output, signal },
      {
        onStarted: (after) => output.note(`Forwarding events after ${after} to ${url.href}.`),
        onPage: ({ events }) =>
          forwardPage(
            events.filter(({ type }) => types.has(type)),
            forwarding,
          ),
      },
    );
  } finally {
    sender.close();
  }
}

function responseOf({ httpStatus, failure, failureCode }: SendOutcome): string {
  if (failure === undefined) return `HTTP ${httpStatus}`;
  return failureCode === undefined ? failure : `${failure} (${failureCode})`;
}

function entryOf({ event, outcome: { httpStatus, failure, latencyMs }, isSkipped }: ForwardedEvent): object {
  const { id, type, order } = event;
  return { id, type, order, purchaseId: purchaseIdOf(event), httpStatus, failure, latencyMs, isSkipped };
}

function urlOf(text: string): URL {
  const url = parseWebhookUrl(text, rules);
  if ('problem' in url) throw new UsageProblem(`--forward-to: ${url.problem}.`);
  return url;
}

function typesOf(names: readonly string[] = Object.keys(eventTypes)): ReadonlySet<string> {
  const unknown = names.find((name) => !Object.hasOwn(eventTypes, name));
  if (unknown === undefined) return new Set(names);
  throw new UsageProblem(`--events: expected ${Object.keys(eventTypes).join(', ')}; got ${unknown}.`);
}

function secretOf(text: string | undefined, output: Output): Buffer {
  if (text === undefined) {
    const secret = secureRandomness.bytes(generatedSecretBytes);
    output.note(`Signed with ${formatWebhookSecret(secret)}`);
    return secret;
  }
  const secret = parseWebhookSecret(text);
  if ('problem' in secret) throw new UsageProblem(`--secret: ${secret.problem}.`);
  return secret;
}

async function findClientSecret(options: ListenOptions, env: CommandContext['env']): Promise<string> {
  const { clientSecretFile } = options;
  if (clientSecretFile !== undefined) return readNamedFile('--client-secret-file', clientSecretFile);
  const given = options.dataDir === undefined ? variableOf(env, secretVariable) : undefined;
  if (given !== undefined) return given;
  const folder = resolve(options.dataDir ?? textOf(env, 'OPENTILL_DATA_DIR'));
  const made = await findSecretFile(folder, 'demo-client.secret');
  if (made !== undefined) return made;
  throw new UsageProblem(
    `No client secret: set ${secretVariable}, or use --client-secret-file (there is no demo-client.secret in ${folder}).`,
  );
}
