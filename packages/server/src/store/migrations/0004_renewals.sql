-- Up Migration

-- open_charge_time: an attempt to charge the next month is open, and is sent again at this instant of the app.
-- expiry_told: the event of its expiry is written. due_time: when the job has to look at it next. A server of
-- the version before leaves the first two as they are, and due_time follows from what it writes.
alter table subscription
  add column open_charge_time bigint,
  add column expiry_told boolean not null default false;

alter table subscription
  add column due_time bigint generated always as (
    coalesce(open_charge_time, case
      when terminated_time is not null then null
      when auto_renewing then next_payment_time
      when not expiry_told then expiry_time
    end)
  ) stored;

-- The first finds the apps that have something due, the second what is due in one of them.
create index subscription_due on subscription (due_time, package_name) where due_time is not null;
create index subscription_due_of_app on subscription (package_name, due_time, first_purchase_id)
  where due_time is not null;

-- One row for each attempt to charge a month. It is open until it has an outcome, and sent with the same
-- idempotency key as often as that takes. Whoever sends it holds the lease, in real time; due_time and
-- next_try_time are instants of the app.
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
  check ((outcome is null) = (settled_time is null)),
  check ((outcome is null) = (next_try_time is not null)),
  check (lease_holder is null or outcome is null),
  check ((lease_holder is null) = (lease_until is null)),
  check (coalesce(outcome, '') = 'paid' or purchase_id is null)
);

-- At most one attempt of a subscription is open.
create unique index renewal_attempt_open on renewal_attempt (package_name, first_purchase_id)
  where outcome is null;
create index renewal_attempt_waiting on renewal_attempt (due_time) where outcome is null;
