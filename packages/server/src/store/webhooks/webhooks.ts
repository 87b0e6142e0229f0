// The webhook of each app: where its events go, and what they are signed with.

import Type, { type Static } from 'typebox';
import type { Queryable } from '../connection/database.ts';
import { Bytes, nullable, statement } from '../connection/statement.ts';

/** What work on a webhook and its deliveries takes its turn by; its row is the first that is locked. */
export const webhookRecord = 'webhook';

const WebhookRow = Type.Object({
  packageName: Type.String(),
  url: Type.String(),
  secret: Bytes,
  previousSecret: nullable(Bytes),
  /** Real time. */
  previousSecretUntil: nullable(Type.Integer()),
  cursorOrder: Type.Integer(),
  createdAt: Type.Integer(),
  updatedAt: Type.Integer(),
});
export type WebhookRow = Static<typeof WebhookRow>;

const webhookColumns = `w.package_name as "packageName", w.url, w.secret, w.previous_secret as "previousSecret",
  w.previous_secret_until as "previousSecretUntil", w.cursor_order as "cursorOrder",
  w.created_at as "createdAt", w.updated_at as "updatedAt"`;

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

// Events that were there before are not delivered. Served by the primary key of app_counter.
const insertWebhookRow = statement({
  name: 'insert_webhook',
  text: `insert into webhook as w (package_name, url, secret, cursor_order, created_at, updated_at)
    select c.package_name, $2, $3, c.event_order, $4, $4 from app_counter c where c.package_name = $1
    on conflict do nothing returning ${webhookColumns}`,
  row: WebhookRow,
});

const updateWebhookRow = statement({
  name: 'update_webhook',
  text: `update webhook w set url = $2, secret = $3, previous_secret = $4, previous_secret_until = $5,
      updated_at = $6
    where w.package_name = $1 returning ${webhookColumns}`,
  row: WebhookRow,
});

const deleteWebhookRow = statement({
  name: 'delete_webhook',
  text: `delete from webhook w where w.package_name = $1 returning ${webhookColumns}`,
  row: WebhookRow,
});

export async function findWebhook(
  queryable: Queryable,
  packageName: string,
): Promise<WebhookRow | undefined> {
  return (await queryable.rows(selectWebhook, [packageName]))[0];
}

/** Keeps everything about the webhook and its deliveries as it is until the transaction ends. */
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

/** Undefined when the app has one. */
export async function insertWebhook(
  transaction: Queryable,
  { packageName, url, secret, createdAt }: NewWebhook,
): Promise<WebhookRow | undefined> {
  return (await transaction.rows(insertWebhookRow, [packageName, url, secret, createdAt]))[0];
}

/** Of a webhook that the transaction holds: its URL and its secrets. */
export async function updateWebhook(transaction: Queryable, webhook: WebhookRow): Promise<WebhookRow> {
  const { packageName, url, secret, previousSecret, previousSecretUntil, updatedAt } = webhook;
  const values = [packageName, url, secret, previousSecret, previousSecretUntil, updatedAt];
  const [updated] = await transaction.rows(updateWebhookRow, values);
  if (updated === undefined) throw new Error('A held webhook could not be updated.');
  return updated;
}

/** Whoever delivers for it loses the lease, and writes nothing more. Undefined when there was none. */
export async function deleteWebhook(
  transaction: Queryable,
  packageName: string,
): Promise<WebhookRow | undefined> {
  return (await transaction.rows(deleteWebhookRow, [packageName]))[0];
}
