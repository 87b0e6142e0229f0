-- Up Migration

-- Every table except app (small, rarely written) and installation (one row, read at start) has package_name first in
-- its primary key, so that a cluster can distribute it by that column. Instants are milliseconds since 1970; except for
-- event.written_at they come from the server's clock.

create table installation (
  only_row boolean primary key default true check (only_row),
  environment text not null check (environment in ('production', 'sandbox')),
  installation_id bytea not null check (octet_length(installation_id) = 16),
  oldest_compatible_schema integer not null
);

create table app (
  package_name text primary key,
  client_id text not null unique,
  app_number bigint not null unique check (app_number between 0 and 4294967295),
  name text,
  disabled_at bigint,
  client_secret_hash bytea not null,
  previous_client_secret_hash bytea,
  previous_client_secret_until bigint,
  created_at bigint not null,
  check ((previous_client_secret_hash is null) = (previous_client_secret_until is null))
);

-- The newest token of each app. A token names its generation: raising generation expels every earlier one. Tokens
-- issued at cut_issued_at_seconds or before end at cut_ends_at, which putToken sets in the sandbox only.
create table access_token (
  package_name text primary key,
  generation integer not null default 0 check (generation between 0 and 65535),
  issued_key_id smallint,
  issued_generation integer,
  issued_at_seconds bigint,
  cut_issued_at_seconds bigint,
  cut_ends_at bigint,
  check (num_nonnulls(issued_key_id, issued_generation, issued_at_seconds) in (0, 3)),
  check ((cut_issued_at_seconds is null) = (cut_ends_at is null))
);

-- Orders are assigned from this row, whose lock is the last one that a transaction acquires.
create table app_counter (
  package_name text primary key,
  event_order bigint not null default 0,
  void_order bigint not null default 0,
  last_voided_time bigint not null default 0,
  change_order bigint not null default 0
);

create table product (
  package_name text not null,
  product_id text not null,
  type text not null check (type in ('one_time', 'subscription')),
  title text,
  price bigint not null check (price >= 0),
  currency text not null,
  created_at bigint not null,
  updated_at bigint not null,
  primary key (package_name, product_id)
);

-- One paid product, or one paid month of a subscription: first_purchase_id names the subscription.
-- consumed_time is in no index and pages keep free space, so that consuming is a heap-only update.
create table purchase (
  package_name text not null,
  purchase_id text not null,
  product_id text not null,
  order_id text,
  buyer_id text,
  purchase_time bigint not null,
  developer_payload text not null,
  price bigint not null,
  currency text not null,
  consumed_time bigint,
  voided_time bigint,
  void_order bigint,
  void_reason text check (void_reason in ('0', '1')),
  first_purchase_id text,
  period_index integer,
  start_time bigint,
  expiry_time bigint,
  primary key (package_name, purchase_id),
  check (num_nonnulls(voided_time, void_order, void_reason) in (0, 3)),
  check (num_nonnulls(first_purchase_id, period_index, start_time, expiry_time) in (0, 4)),
  check (first_purchase_id is null or consumed_time is null)
) with (fillfactor = 85);
create unique index purchase_order_id on purchase (package_name, order_id) where order_id is not null;
create unique index purchase_period on purchase (package_name, first_purchase_id, period_index)
  where first_purchase_id is not null;
create unique index purchase_void_order on purchase (package_name, voided_time, void_order)
  where voided_time is not null;
create index purchase_buyer on purchase (package_name, buyer_id, purchase_time, purchase_id) where buyer_id is not null;
create index purchase_by_time on purchase (package_name, purchase_time, purchase_id);

-- open_charge_time: when the open attempt to charge the next month is retried, an instant of the app. expiry_told: the
-- event of its expiry is written. due_time: when the job next has to process it.
create table subscription (
  package_name text not null,
  first_purchase_id text not null,
  product_id text not null,
  first_start bigint not null,
  time_zone text not null,
  price bigint not null,
  currency text not null,
  developer_payload text not null,
  buyer_id text,
  auto_renewing boolean not null,
  cancel_reason text check (cancel_reason in ('0', '1')),
  cancelled_time bigint,
  expiry_time bigint not null,
  next_payment_time bigint,
  last_period_index integer not null,
  last_purchase_id text not null,
  last_start_time bigint not null,
  terminated_time bigint,
  open_charge_time bigint,
  expiry_told boolean not null default false,
  due_time bigint generated always as (
    coalesce(open_charge_time, case
      when terminated_time is not null then null
      when auto_renewing then next_payment_time
      when not expiry_told then expiry_time
    end)
  ) stored,
  primary key (package_name, first_purchase_id),
  check ((cancel_reason is null) = (cancelled_time is null)),
  check (auto_renewing = (next_payment_time is not null) and (not auto_renewing or cancelled_time is null))
);
-- The first index finds the apps that have due subscriptions, the second the due subscriptions of an app.
create index subscription_due on subscription (due_time, package_name) where due_time is not null;
create index subscription_due_of_app on subscription (package_name, due_time, first_purchase_id)
  where due_time is not null;

-- One row for each attempt to charge a month. It is open until it has an outcome, and is retried with the same
-- idempotency key until then. The server that sends it holds the lease, in real time; due_time and next_try_time are
-- instants of the app.
create table renewal_attempt (
  package_name text not null,
  first_purchase_id text not null,
  period_index integer not null,
  attempt integer not null,
  idempotency_key text not null,
  due_time bigint not null,
  begun_time bigint not null,
  tries integer not null,
  next_try_time bigint,
  lease_holder text,
  lease_until bigint,
  outcome text check (outcome in ('paid', 'declined', 'declined_final')),
  settled_time bigint,
  purchase_id text,
  made_by text not null,
  request_id text not null,
  primary key (package_name, first_purchase_id, period_index, attempt),
  check ((outcome is null) = (settled_time is null) and (outcome is null) = (next_try_time is not null)),
  check ((lease_holder is null) = (lease_until is null) and (lease_holder is null or outcome is null)),
  check (coalesce(outcome, '') = 'paid' or purchase_id is null)
);
-- At most one attempt of a subscription is open.
create unique index renewal_attempt_open on renewal_attempt (package_name, first_purchase_id) where outcome is null;
create index renewal_attempt_waiting on renewal_attempt (due_time) where outcome is null;

-- One row for each change of a purchase or subscription, in the order of the app's counter; an event without a purchase
-- is a test. record is the month as the purchase API showed it after the change; it is null for a one-time purchase,
-- whose record follows from the type of the event and from what never changes in its purchase. written_at is the
-- database's time, whatever the app's clock says: it decides when the event is removed.
create table event (
  package_name text not null,
  event_order bigint not null,
  type text not null,
  event_time bigint not null,
  purchase_id text,
  first_purchase_id text,
  product_id text,
  record json,
  made_by text not null,
  request_id text not null,
  written_at bigint not null default (extract(epoch from statement_timestamp()) * 1000)::bigint,
  primary key (package_name, event_order)
);
create index event_of_purchase on event (package_name, purchase_id, event_order);

-- What operators changed in an app itself: its settings, secrets, tokens and products.
create table app_change (
  package_name text not null,
  change_order bigint not null,
  operation_id text not null,
  detail text not null,
  made_by text not null,
  made_at bigint not null,
  request_id text not null,
  primary key (package_name, change_order)
);

-- The endpoint that receives the events of an app. Events up to cursor_order have a delivery or need none; later ones
-- are still to be processed, so that writing an event costs nothing here. The server that delivers holds the lease, in
-- real time; served_at is when a lease was last acquired. Row locks of webhook come before those of webhook_delivery,
-- and both before those of app_counter.
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

-- The delivery of an event that has been attempted or has to wait. Deliveries with the same subject (a subscription or
-- a purchase, null for a test) keep their order: of those never delivered only the earliest is waiting, the others are
-- held behind it. due_time, schedule_start and delivered_time are instants of the app; attempts are the contract's
-- DeliveryAttempt.
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
-- In this order they find the due deliveries of an app, the open ones of a subject, and the undelivered ones.
create index webhook_delivery_due on webhook_delivery (package_name, due_time, event_order) where state = 'waiting';
create index webhook_delivery_open on webhook_delivery (package_name, subject, event_order)
  where state in ('waiting', 'held') and delivered_time is null;
create index webhook_delivery_failed on webhook_delivery (package_name, state, event_order) where state <> 'delivered';

-- The clock of an app, in the sandbox only; an app without a row uses real time at rate 1. A frozen clock shows
-- app_time, a running one app_time + (real now - real_time) * rate. advance_to is the target of the advance in
-- progress, whose server holds the lease, in real time.
create table app_clock (
  package_name text primary key,
  mode text not null check (mode in ('running', 'frozen')),
  rate double precision not null default 1 check (rate > 0),
  real_time bigint not null,
  app_time bigint not null,
  advance_to bigint,
  lease_holder text,
  lease_until bigint
);

-- The faults of the last putFaults, in the sandbox only and in their order. put_id identifies that call, so that a
-- request that read an earlier list counts nothing in this one. met counts the requests that matched and drew, applied
-- those that got the fault.
create table fault (
  package_name text not null,
  position integer not null,
  put_id text not null,
  operation text not null,
  code integer,
  http_status integer check (http_status between 400 and 599),
  delay_ms integer check (delay_ms >= 0),
  cut text check (cut in ('before', 'after')),
  outcome text check (outcome in ('declined', 'declined_final', 'pending', 'no_answer')),
  times integer check (times > 0),
  probability double precision check (probability > 0 and probability <= 1),
  seed bigint,
  met bigint not null default 0,
  applied bigint not null default 0,
  primary key (package_name, position),
  check ((probability is null) = (seed is null))
);

-- The last calls of each app, in the sandbox only. called_at is real time, app_time the app's own; call_order counts
-- within the server process. No column contains a token or a secret.
create table request_log (
  package_name text not null,
  called_at bigint not null,
  call_order bigint not null,
  request_id text not null,
  app_time bigint not null,
  operation_id text not null,
  method text not null,
  path text not null,
  http_status integer,
  error_code integer,
  latency_ms double precision not null,
  answer text not null,
  is_answer_cut boolean not null,
  fault_position integer,
  hints text[] not null,
  primary key (package_name, called_at, call_order, request_id)
);
