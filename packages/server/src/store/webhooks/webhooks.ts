// The webhook of each app: the URL that receives its events, and the secrets that sign them.

import type { Queryable } from '../connection/database.ts';
import { NoRow, statement } from '../statements/statement.ts';
import { type RowOf, rowShape, selectList } from '../statements/table.ts';
import { webhook } from '../tables/webhooks.ts';

const WebhookRow = rowShape(webhook);
export type WebhookRow = RowOf<typeof webhook>;

const webhookColumns = selectList(webhook, 'w');

// Served by the primary key.
const selectWebhook = statement({
  name: 'select_webhook',
  text: `select ${webhookColumns} from webhook w where w.package_name = $1`,
  row: WebhookRow,
});

// Served by the primary key.
const lockWebhookRow = statement({
  name: 'lock_webhook',
  text: `select ${webhookColumns} from webhook w where w.package_name = $1 for no key update`,
  row: WebhookRow,
});

// Earlier events are not delivered. Served by the primary key of app_counter.
const insertWebhookRow = statement({
  name: 'insert_webhook',
  text: `insert into webhook as w (package_name, url, secret, cursor_order, created_at, updated_at)
    select c.package_name, $2, $3, c.event_order, $4, $4 from app_counter c where c.package_name = $1
    on conflict do nothing returning ${webhookColumns}`,
  row: WebhookRow,
});

// Served by the primary key.
const updateWebhookRow = statement({
  name: 'update_webhook',
  text: `update webhook w set url = $2, secret = $3, previous_secret = $4, previous_secret_until = $5,
      updated_at = $6
    where w.package_name = $1 returning ${webhookColumns}`,
  row: WebhookRow,
});

// Served by the primary key.
const deleteWebhookRow = statement({
  name: 'delete_webhook',
  text: 'delete from webhook where package_name = $1',
  row: NoRow,
});

export async function findWebhook(
  queryable: Queryable,
  packageName: string,
): Promise<WebhookRow | undefined> {
  return (await queryable.rows(selectWebhook, [packageName]))[0];
}

/** Locks the webhook, and with it its deliveries, until the transaction ends. */
export async function lockWebhook(
  transaction: Queryable,
  packageName: string,
): Promise<WebhookRow | undefined> {
  return (await transaction.rows(lockWebhookRow, [packageName]))[0];
}

interface NewWebhook {
  readonly packageName: string;
  readonly url: string;
  readonly secret: Buffer;
  readonly createdAt: number;
}

/** Returns undefined if the app has a webhook. */
export async function insertWebhook(
  transaction: Queryable,
  { packageName, url, secret, createdAt }: NewWebhook,
): Promise<WebhookRow | undefined> {
  return (await transaction.rows(insertWebhookRow, [packageName, url, secret, createdAt]))[0];
}

/** Replaces the URL and the secrets of a webhook that the transaction has locked. */
export async function updateWebhook(transaction: Queryable, changed: WebhookRow): Promise<WebhookRow> {
  const { packageName, url, secret, previousSecret, previousSecretUntil, updatedAt } = changed;
  const values = [packageName, url, secret, previousSecret, previousSecretUntil, updatedAt];
  const [updated] = await transaction.rows(updateWebhookRow, values);
  if (updated === undefined) throw new Error('A locked webhook could not be updated.');
  return updated;
}

/** A server that delivers for the webhook loses its lease and writes nothing more. */
export async function deleteWebhook(transaction: Queryable, packageName: string): Promise<void> {
  await transaction.rows(deleteWebhookRow, [packageName]);
}
