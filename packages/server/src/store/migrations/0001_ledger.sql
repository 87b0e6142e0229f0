-- Up Migration

-- Every table but app (small, rarely written) and installation (one row, read at start) has package_name
-- first in its primary key, so that a cluster can distribute all of them by it. Instants are milliseconds
-- since 1970 and come from the server's clock.

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

-- Order is taken from here, under the row's lock, as the last lock of a transaction.
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
-- consumed_time is in no index, so that consuming is a heap-only update: hence the free room in pages.
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
  check ((voided_time is null) = (void_order is null) and (voided_time is null) = (void_reason is null)),
  check ((first_purchase_id is null) = (period_index is null)
    and (first_purchase_id is null) = (start_time is null)
    and (first_purchase_id is null) = (expiry_time is null)),
  check (first_purchase_id is null or consumed_time is null)
) with (fillfactor = 85);

create unique index purchase_order_id on purchase (package_name, order_id) where order_id is not null;
create unique index purchase_period on purchase (package_name, first_purchase_id, period_index)
  where first_purchase_id is not null;
create unique index purchase_void_order on purchase (package_name, voided_time, void_order)
  where voided_time is not null;
create index purchase_buyer on purchase (package_name, buyer_id, purchase_time, purchase_id)
  where buyer_id is not null;
create index purchase_by_time on purchase (package_name, purchase_time, purchase_id);

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
  primary key (package_name, first_purchase_id),
  check ((cancel_reason is null) = (cancelled_time is null)),
  check (auto_renewing = (next_payment_time is not null)),
  check (not auto_renewing or cancelled_time is null)
);

-- One row for each change of a purchase or subscription, in the order of the app's counter.
create table event (
  package_name text not null,
  event_order bigint not null,
  type text not null,
  event_time bigint not null,
  purchase_id text not null,
  first_purchase_id text,
  product_id text not null,
  made_by text not null,
  request_id text not null,
  primary key (package_name, event_order)
);

create index event_of_purchase on event (package_name, purchase_id, event_order);

-- What operators did to an app itself: its settings, secrets, tokens and products.
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
