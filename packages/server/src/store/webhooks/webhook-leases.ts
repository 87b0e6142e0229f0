// Leases of webhooks, so that one server at a time delivers for each. Scans for webhooks with work only read; leases are
// then acquired by name (docs/decisions/events.md).

import Type, { type Static } from 'typebox';
import { clockLeaseMs, webhookLeaseMs } from '../../domain/clocks/leases.ts';
import { appTimeSql } from '../clocks/app-time.ts';
import { isLeasedSql } from '../clocks/leases.ts';
import { coalesced, ownName } from '../connection/coalesced.ts';
import type { JobDatabase, Queryable } from '../connection/database.ts';
import { Bytes, nullable, statement } from '../connection/statement.ts';

const Found = Type.Object({ packageName: Type.String() });

interface WebhookWork {
  readonly join: string;
  readonly condition: string;
}

/** Unleased webhooks of apps that are not disabled, longest unserved first. */
const unleasedWebhooks = ({ join, condition }: WebhookWork): string => `
  select w.package_name as "packageName" from webhook w
  join app a on a.package_name = w.package_name and a.disabled_at is null
  ${join}
  where not ${isLeasedSql('w.lease_until', '$1::bigint', webhookLeaseMs)} and w.package_name <> all($2::text[])
    and ${condition}
  order by w.served_at limit $3`;

const counter = 'join app_counter c on c.package_name = w.package_name';
const hasNewEvents = 'c.event_order > w.cursor_order';

/** In the sandbox, deliveries wait while the clock of their app is advanced. */
const clock = 'left join app_clock k on k.package_name = w.package_name';
const isNotAdvancing = `not ${isLeasedSql('k.lease_until', '$1::bigint', clockLeaseMs)}`;

const hasDue = (now: string) => `exists (select from webhook_delivery d
  where d.package_name = w.package_name and d.state = 'waiting' and d.due_time <= ${now})`;

// Each reads all of webhook, and for each webhook its row of app_counter by the primary key or the first entry of
// webhook_delivery_due, so the cost does not depend on the number of deliveries.
const selectWithNewEvents = statement({
  name: 'select_webhooks_with_new_events',
  text: unleasedWebhooks({ join: counter, condition: hasNewEvents }),
  row: Found,
});
// In addition, served by the primary key of app_clock.
const selectWithNewEventsOfSandbox = statement({
  name: 'select_webhooks_with_new_events_of_sandbox',
  text: unleasedWebhooks({ join: `${counter} ${clock}`, condition: `${hasNewEvents} and ${isNotAdvancing}` }),
  row: Found,
});
const selectWithDue = statement({
  name: 'select_webhooks_with_due',
  text: unleasedWebhooks({ join: '', condition: hasDue('$1::bigint') }),
  row: Found,
});
const selectWithDueOfSandbox = statement({
  name: 'select_webhooks_with_due_of_sandbox',
  text: unleasedWebhooks({
    join: clock,
    condition: `${isNotAdvancing} and ${hasDue(appTimeSql('k', '$1::bigint'))}`,
  }),
  row: Found,
});

export interface WebhookScan {
  readonly isSandbox: boolean;
  readonly realNow: number;
  /** Apps to skip. */
  readonly except: readonly string[];
  readonly limit: number;
}

/** Lists apps with new events. */
export async function listWebhooksWithNewEvents(queryable: Queryable, scan: WebhookScan): Promise<string[]> {
  return namesOf(queryable, scan.isSandbox ? selectWithNewEventsOfSandbox : selectWithNewEvents, scan);
}

/** Lists apps with a due delivery, each by its own clock. */
export async function listWebhooksWithDue(queryable: Queryable, scan: WebhookScan): Promise<string[]> {
  return namesOf(queryable, scan.isSandbox ? selectWithDueOfSandbox : selectWithDue, scan);
}

async function namesOf(
  queryable: Queryable,
  webhooks: typeof selectWithNewEvents,
  { realNow, except, limit }: WebhookScan,
): Promise<string[]> {
  const rows = await queryable.rows(webhooks, [realNow, except, limit]);
  return rows.map(({ packageName }) => packageName);
}

// A locked webhook is skipped. Served by the primary key.
const acquireLeases = statement({
  name: 'acquire_webhook_leases',
  text: `with free as (
      select package_name from webhook
      where package_name = any($1::text[]) and not ${isLeasedSql('lease_until', '$2::bigint', webhookLeaseMs)}
      order by package_name for no key update skip locked)
    update webhook w set lease_holder = $3, lease_until = $4, served_at = $2
    from free where w.package_name = free.package_name and w.package_name = any($1::text[])
    returning w.package_name as "packageName", w.cursor_order as "cursorOrder"`,
  row: Type.Object({ packageName: Type.String(), cursorOrder: Type.Integer() }),
});

interface WebhookLease {
  readonly holder: string;
  readonly realNow: number;
  readonly leaseUntil: number;
}

/** Acquires free leases, and returns the cursor of each. */
export async function acquireWebhookLeases(
  database: JobDatabase,
  packageNames: readonly string[],
  { holder, realNow, leaseUntil }: WebhookLease,
): Promise<ReadonlyMap<string, number>> {
  const limits = { batchMax: packageNames.length, inFlightMax: 1, packageNameOf: ownName };
  const acquire = coalesced(database, limits, async (names: readonly string[]) => {
    const rows = await database.rows(acquireLeases, [names, realNow, holder, leaseUntil]);
    const cursors = new Map(rows.map(({ packageName, cursorOrder }) => [packageName, cursorOrder]));
    return names.map((name) => cursors.get(name));
  });
  const acquired = new Map<string, number>();
  const acquireOne = async (name: string): Promise<void> => {
    const cursorOrder = await acquire(name);
    if (cursorOrder !== undefined) acquired.set(name, cursorOrder);
  };
  await Promise.all(packageNames.map(acquireOne));
  return acquired;
}

const Endpoint = Type.Object({
  packageName: Type.String(),
  url: Type.String(),
  secret: Bytes,
  previousSecret: nullable(Bytes),
  previousSecretUntil: nullable(Type.Integer()),
  leaseHolder: nullable(Type.String()),
  /** The order of the app's last event: all events up to it are visible to the reader. */
  lastEventOrder: Type.Integer(),
  isDisabled: Type.Boolean(),
});
/** A webhook during a delivery. */
export type Endpoint = Static<typeof Endpoint>;

// Served by the primary keys.
const selectEndpoints = statement({
  name: 'select_webhook_endpoints',
  text: `select w.package_name as "packageName", w.url, w.secret, w.previous_secret as "previousSecret",
      w.previous_secret_until as "previousSecretUntil", w.lease_holder as "leaseHolder",
      c.event_order as "lastEventOrder", a.disabled_at is not null as "isDisabled"
    from webhook w join app_counter c on c.package_name = w.package_name
    join app a on a.package_name = w.package_name
    where w.package_name = any($1::text[]) and c.package_name = any($1::text[])`,
  row: Endpoint,
});

/** Reads one webhook, sharing a statement with concurrent reads; undefined if the app has none. */
export function endpointReader(
  database: JobDatabase,
): (packageName: string) => Promise<Endpoint | undefined> {
  const limits = { batchMax: 100, inFlightMax: 1, packageNameOf: ownName };
  return coalesced(database, limits, async (packageNames: readonly string[]) => {
    const rows = await database.rows(selectEndpoints, [[...new Set(packageNames)]]);
    const byName = new Map(rows.map((row) => [row.packageName, row]));
    return packageNames.map((packageName) => byName.get(packageName));
  });
}
