-- Up Migration

-- Where an app wants its events, one for each app. Events up to cursor_order have a delivery or need none: the
-- others are still to be looked at, so that an event costs nothing when it is written. Whoever delivers holds the
-- lease, in real time, and has the endpoint for himself; served_at is when one was last taken. Row locks of
-- webhook come before those of webhook_delivery, and both before those of app_counter.
create table webhook (
  package_name text primary key,
  url text not null,
  secret bytea not null,
  previous_secret bytea,
  previous_secret_until bigint,
  cursor_order bigint not null,
  created_at bigint not null,
  updated_at bigint not null,
  lease_holder text,
  lease_until bigint,
  served_at bigint not null default 0,
  check ((previous_secret is null) = (previous_secret_until is null)),
  check ((lease_holder is null) = (lease_until is null))
) with (fillfactor = 50);

-- What became of an event on its way, once it has been tried or has to wait. subject is what stays in order: the
-- subscription or purchase, none for a test. Of those of a subject that were never delivered, one is waiting at
-- most, the earliest; the others are held behind it. due_time, schedule_start and delivered_time are instants of
-- the app; attempts are the contract's DeliveryAttempt.
create table webhook_delivery (
  package_name text not null,
  event_order bigint not null,
  event_id text not null,
  event_type text not null,
  event_time bigint not null,
  purchase_id text,
  subject text,
  state text not null check (state in ('delivered', 'waiting', 'held', 'dead')),
  due_time bigint,
  schedule_start bigint,
  schedule_attempts integer not null,
  delivered_time bigint,
  attempts json not null,
  primary key (package_name, event_order),
  check ((state = 'waiting') = (due_time is not null)),
  check (state <> 'held' or (subject is not null and delivered_time is null)),
  check (state <> 'delivered' or delivered_time is not null)
);

-- What is due in an app; what holds later events of a subject; what has not arrived.
create index webhook_delivery_due on webhook_delivery (package_name, due_time, event_order)
  where state = 'waiting';
create index webhook_delivery_open on webhook_delivery (package_name, subject, event_order)
  where state in ('waiting', 'held') and delivered_time is null;
create index webhook_delivery_failed on webhook_delivery (package_name, state, event_order)
  where state <> 'delivered';
