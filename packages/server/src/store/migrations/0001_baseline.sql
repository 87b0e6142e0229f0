-- The schema of version 0.1.0. A cluster distributes each table by package_name, which is first in its primary key, except app
-- (small, rarely written), installation and schema_migration, of which each node has a copy. A row of no app, or of all, has the
-- package name ''.
-- Unless their comment says otherwise, columns in _at and _until are real time, those in _time the time of the app, both in ms
-- since 1970 by the database's clock (docs/decisions/clocks.md).
-- Ids, and every text that is in an index, are ordered by their bytes, so that no update of a system library changes the order
-- of an index; a variable of a function has the order of the database, unless an "order by" says "C"
-- (docs/decisions/database.md).
-- There are no foreign keys: each would lock the referenced row at every write, and an import checks references itself.
-- A check is named <table>_<what>_check, which an import shows to its user. Sets that a later version may extend have none, so
-- that a new value needs no migration: event.type, event.expiry_reason, event.consent and purchase.void_cause.
-- Columns are json, not jsonb, where the order of the keys is part of a response.
-- Advisory locks: 1 with the hash of an app orders its voids and the pages of its voided list (lock_voids_v1); 2 with the hash of
-- an app, or of '', makes a pause wait for renewals that begin (renewal-pauses.ts); 7241865325823964 is that of a migration
-- (store-schema.ts); 0x4f54494c with 1 is that of the server on a bundled PostgreSQL (server-lock.ts).

-- ---------- The database ----------

-- The migrations that have run.
create table schema_migration (
  name text collate "C" primary key,
  hash text not null, -- of the text of the file
  applied_at timestamptz not null default now() -- for people, not in ms
);

-- The one row that identifies the database.
create table installation (
  only_row boolean primary key default true constraint installation_only_row_check check (only_row),
  environment text not null
    constraint installation_environment_check check (environment in ('production', 'sandbox')),
  installation_id bytea not null
    constraint installation_installation_id_check check (octet_length(installation_id) = 16),
  oldest_compatible_schema integer not null default 1, -- a server that knows only earlier migrations refuses to start
  statistics_time_zone text -- of the days in statistic_day and of months, null until one is counted or closed
);

-- ---------- Apps ----------

create table app (
  package_name text collate "C" primary key,
  client_id text collate "C" not null constraint app_client_id_key unique,
  app_number bigint not null constraint app_app_number_key unique -- stands for the app in its tokens
    constraint app_app_number_check check (app_number between 0 and 4294967295),
  name text,
  disabled_at bigint, -- null: enabled
  client_secret_hash bytea not null,
  previous_client_secret_hash bytea, -- accepted until previous_client_secret_until
  previous_client_secret_until bigint,
  created_at bigint not null,
  constraint app_previous_client_secret_check
    check ((previous_client_secret_hash is null) = (previous_client_secret_until is null))
);

-- The newest token of each app.
create table access_token (
  package_name text collate "C" primary key,
  generation integer not null default 0 -- a token names its own; raising it expels every earlier token
    constraint access_token_generation_check check (generation between 0 and 65535),
  issued_key_id smallint, -- the claims of the newest token
  issued_generation integer,
  issued_at_seconds bigint,
  cut_issued_at_seconds bigint, -- tokens issued at this time or before, in seconds ...
  cut_ends_at bigint, -- ... end at this one, set by putToken in the sandbox only
  constraint access_token_issued_check check (num_nonnulls(issued_key_id, issued_generation, issued_at_seconds) in (0, 3)),
  constraint access_token_cut_check check ((cut_issued_at_seconds is null) = (cut_ends_at is null))
);

-- The counters of an app, whose lock is the last one that a transaction acquires. The row '' counts the actions without an app.
create table app_counter (
  package_name text collate "C" primary key,
  event_order bigint not null default 0, -- that of the last event, likewise for voids and actions
  void_order bigint not null default 0,
  last_voided_time bigint not null default 0,
  action_order bigint not null default 0,
  counted_order bigint not null default 0, -- the last event whose days are counted in statistic_day
  reset_order bigint not null default 0, -- the months of the app begin after it: set by a reset and an import
  recount_from bigint -- the instant of the app from which all of its days are still to be counted, after an import
);
insert into app_counter (package_name) values ('');

-- The row that a transaction locks for an app as a whole, written when it is first locked. On a cluster, app has a copy on
-- every node, and locking one of its rows locks all.
create table app_lock (
  package_name text collate "C" primary key
);

create table product (
  package_name text collate "C" not null,
  product_id text collate "C" not null,
  type text not null constraint product_type_check check (type in ('oneTime', 'subscription')),
  period text -- the length of the periods of a subscription
    constraint product_period_length_check check (period in ('P1W', 'P1M', 'P3M', 'P6M', 'P1Y')),
  title text,
  price bigint not null constraint product_price_check check (price >= 0),
  currency text collate "C" not null,
  created_at bigint not null,
  updated_at bigint not null,
  primary key (package_name, product_id),
  constraint product_period_check check ((type = 'subscription') = (period is not null))
);
-- It finds the products of all apps by the start of their id.
create index product_by_id on product (product_id, package_name);

-- ---------- Purchases, subscriptions and charges ----------

-- One paid product, or one paid period of a subscription. consumed_time is in no index and pages keep free space, so that
-- consuming is a heap-only update. Authors are stored here, where retention does not delete them.
create table purchase (
  package_name text collate "C" not null,
  purchase_id text collate "C" not null,
  product_id text collate "C" not null,
  order_id text collate "C", -- of the store, unique in the app
  buyer_id text collate "C",
  purchase_time bigint not null,
  developer_payload text not null,
  price bigint not null constraint purchase_price_check check (price >= 0),
  currency text collate "C" not null,
  consumed_time bigint, -- null: not consumed
  consumed_by text, -- null: the app
  voided_time bigint, -- null: not voided
  void_order bigint, -- that of app_counter
  void_reason text constraint purchase_void_reason_check check (void_reason in ('0', '1')),
  void_cause text,
  refund_amount bigint, -- what a void returns to the buyer, null for the price
  first_purchase_id text collate "C", -- the subscription of a paid period
  period_index integer constraint purchase_period_index_check check (period_index >= 0), -- 0 for the first period
  start_time bigint, -- when the period starts
  expiry_time bigint, -- when it ends; a void of the last period moves this to the time of the void, maybe before the start
  recorded_by text,
  recorded_from text, -- the address of the client
  recorded_request_id text collate "C",
  voided_by text,
  erased_at bigint, -- when its buyer was erased, in real time
  is_imported boolean not null default false,
  primary key (package_name, purchase_id),
  constraint purchase_void_check check (num_nonnulls(voided_time, void_order, void_reason) in (0, 3)
    and (voided_time is not null or num_nonnulls(void_cause, voided_by) = 0)),
  constraint purchase_refund_check
    check (refund_amount is null or (voided_time is not null and refund_amount between 0 and price)),
  constraint purchase_period_check check (num_nonnulls(first_purchase_id, period_index, start_time, expiry_time) in (0, 4)),
  constraint purchase_expiry_check check (expiry_time > start_time or voided_time is not null),
  constraint purchase_consumed_check check (first_purchase_id is null or consumed_time is null)
) with (fillfactor = 85);
create unique index purchase_order_id on purchase (package_name, order_id) where order_id is not null;
create unique index purchase_period on purchase (package_name, first_purchase_id, period_index)
  where first_purchase_id is not null;
create unique index purchase_void_order on purchase (package_name, voided_time, void_order)
  where voided_time is not null;
create index purchase_buyer on purchase (package_name, buyer_id, purchase_time, purchase_id) where buyer_id is not null;
create index purchase_by_time on purchase (package_name, purchase_time, purchase_id);
-- In this order it serves the voided purchases of the whole store; purchase_void_order serves those of an app.
create index purchase_voided on purchase (voided_time, package_name, purchase_id) where voided_time is not null;

-- Period n ends n - anchor_index periods after anchor_time by the calendar, for each n after anchor_index.
create table subscription (
  package_name text collate "C" not null,
  first_purchase_id text collate "C" not null, -- the purchase of its first period, which is its id
  product_id text collate "C" not null,
  first_start_time bigint not null, -- when its first period starts
  time_zone text not null, -- that of its calendar
  anchor_time bigint not null,
  anchor_index integer not null,
  period text not null
    constraint subscription_period_check check (period in ('P1W', 'P1M', 'P3M', 'P6M', 'P1Y')),
  first_period text, -- the length of period 0, null if it has that of the others
  price bigint not null constraint subscription_price_check check (price >= 0), -- of period 0
  renewal_price bigint constraint subscription_renewal_price_check check (renewal_price >= 0), -- of the others, null if it is price
  currency text collate "C" not null,
  developer_payload text not null,
  buyer_id text collate "C", -- optional: its absence does not say that the buyer was erased
  auto_renewing boolean not null, -- whether auto-payment is on
  cancel_reason text constraint subscription_cancel_reason_check check (cancel_reason in ('0', '1')),
  cancelled_time bigint,
  consent text -- what became of the consent that the store asked its customer for
    constraint subscription_consent_check check (consent in ('awaited', 'withdrawn')),
  expiry_time bigint not null, -- the end of its last period
  next_payment_time bigint, -- null: auto-payment is off
  last_period_index integer not null -- the last paid period, and its purchase and start
    constraint subscription_last_period_index_check check (last_period_index >= 0),
  last_purchase_id text collate "C" not null,
  last_start_time bigint not null,
  terminated_time bigint, -- when its last period was voided
  open_charge_time bigint, -- when the open attempt to charge the next period is retried
  expiry_event_written boolean not null default false, -- whether it has expired: its event was written, or it was imported so
  auto_payment_changed_by text,
  erased_at bigint, -- when its buyer was erased, after which it is never reactivated
  due_time bigint generated always as ( -- when the job next has to process it
    coalesce(open_charge_time, case
      when terminated_time is not null then null
      when auto_renewing then next_payment_time
      when not expiry_event_written then expiry_time
    end)
  ) stored,
  primary key (package_name, first_purchase_id),
  constraint subscription_expiry_check check (expiry_time > last_start_time or terminated_time is not null),
  constraint subscription_cancel_check check ((cancel_reason is null) = (cancelled_time is null)),
  constraint subscription_consent_off_check
    check (consent is null or (not auto_renewing and terminated_time is null)),
  constraint subscription_renewing_check
    check (auto_renewing = (next_payment_time is not null) and (not auto_renewing or cancelled_time is null))
);
-- Those that are due: of all apps and of one app.
create index subscription_due on subscription (due_time, package_name) where due_time is not null;
create index subscription_due_of_app on subscription (package_name, due_time, first_purchase_id)
  where due_time is not null;
-- Lists of subscriptions by their start: of all apps, of one app, and of one buyer.
create index subscription_by_start on subscription (first_start_time, package_name, first_purchase_id);
create index subscription_of_app on subscription (package_name, first_start_time, first_purchase_id);
create index subscription_buyer on subscription (buyer_id, first_start_time, package_name, first_purchase_id)
  where buyer_id is not null;
-- Those with auto-payment on by the end of the paid period: of all apps and of one app. Payments are outstanding up to now.
create index subscription_renewing on subscription (expiry_time, package_name, first_purchase_id) where auto_renewing;
create index subscription_renewing_of_app on subscription (package_name, expiry_time, first_purchase_id)
  where auto_renewing;
-- Those that await consent, by the end of the paid period: of all apps and of one app.
create index subscription_awaiting_consent on subscription (expiry_time, package_name, first_purchase_id)
  where consent = 'awaited' and not expiry_event_written;
create index subscription_awaiting_consent_of_app on subscription (package_name, expiry_time, first_purchase_id)
  where consent = 'awaited' and not expiry_event_written;
-- Those that have ended, by the end of their paid time.
create index subscription_ended on subscription (package_name, expiry_time)
  where expiry_event_written or terminated_time is not null;

-- One row for each attempt to charge a period. It is open until it has an outcome, and is retried with the same
-- idempotency key until then, unless it is unresolved; the server that sends it holds the lease.
create table renewal_attempt (
  package_name text collate "C" not null,
  first_purchase_id text collate "C" not null,
  period_index integer not null constraint renewal_attempt_period_index_check check (period_index >= 0),
  attempt integer not null, -- 1 for the first attempt to charge the period
  idempotency_key text collate "C" not null,
  due_time bigint not null,
  begun_time bigint not null,
  tries integer not null, -- requests sent to the gateway
  next_try_time bigint, -- null for an open attempt: unresolved, its outcome is unknown and it is not retried
  was_pending boolean not null default false, -- the gateway answered pending once: a retry is never the first it receives
  unanswered_since bigint, -- real time: when the first of its latest tries without an answer failed, null once a try gets one
  unanswered_reason text, -- why the latest try has none
  lease_holder text,
  lease_until bigint,
  outcome text constraint renewal_attempt_outcome_check check (outcome in ('paid', 'declined', 'declinedFinal')),
  settled_time bigint, -- when it got its outcome
  purchase_id text collate "C", -- the purchase of the paid period
  made_by text not null,
  request_id text collate "C" not null,
  refund_due_time bigint, -- when a charge settled as declined was reported as paid; null once an operator has acknowledged it
  primary key (package_name, first_purchase_id, period_index, attempt),
  constraint renewal_attempt_settled_check
    check ((outcome is null) = (settled_time is null) and (outcome is null or next_try_time is null)),
  constraint renewal_attempt_lease_check
    check ((lease_holder is null) = (lease_until is null) and (lease_holder is null or outcome is null)),
  constraint renewal_attempt_unanswered_check check (unanswered_since is null or next_try_time is not null),
  constraint renewal_attempt_reason_check check ((unanswered_since is null) = (unanswered_reason is null)),
  constraint renewal_attempt_paid_check check (coalesce(outcome, '') = 'paid' or purchase_id is null),
  constraint renewal_attempt_refund_check check (refund_due_time is null or outcome is not null)
);
-- At most one attempt of a subscription is open.
create unique index renewal_attempt_open on renewal_attempt (package_name, first_purchase_id) where outcome is null;
create index renewal_attempt_waiting on renewal_attempt (due_time) where outcome is null;
create index renewal_attempt_unanswered on renewal_attempt (unanswered_since) where unanswered_since is not null;
create index renewal_attempt_refund on renewal_attempt (package_name, first_purchase_id) where refund_due_time is not null;

-- Renewals that are paused: of an app, or of the whole store.
create table renewal_pause (
  package_name text collate "C" primary key,
  paused_at bigint not null,
  paused_by text not null,
  reason text
);

-- ---------- Events and webhooks ----------

-- One row for each change of a purchase or subscription, in the order of the app's counter.
create table event (
  package_name text collate "C" not null,
  event_order bigint not null,
  type text not null,
  event_time bigint not null,
  purchase_id text collate "C", -- null: a test of the webhook
  first_purchase_id text collate "C",
  product_id text collate "C",
  record json, -- the period as the purchase API showed it right after the change, without its price; null for a one-time purchase
  expiry_reason text, -- why a subscription expired
  previous_expiry_time bigint, -- when the period of an extended subscription ended before
  attempt integer, -- the number of the declined attempt to charge the next period
  renewal_price bigint, -- of a subscription that started, or since this price was changed
  previous_renewal_price bigint, -- before it was changed
  consent text, -- awaited since this cancel, or given by this reactivation
  made_by text not null,
  request_id text collate "C" not null,
  -- Real time, whatever the app's clock says: it decides when the event is removed.
  written_at bigint not null default (extract(epoch from statement_timestamp()) * 1000)::bigint,
  is_imported boolean not null default false,
  primary key (package_name, event_order)
);
create index event_of_purchase on event (package_name, purchase_id, event_order);
-- The changes of subscriptions that statistics count and no other row keeps.
create index event_counted on event (package_name, event_time)
  where type in ('subscription.payment_failed', 'subscription.auto_payment_cancelled', 'subscription.expired');

-- The endpoint that receives the events of an app; the server that delivers holds the lease. Row locks of webhook come before
-- those of webhook_delivery, and both before those of app_counter.
create table webhook (
  package_name text collate "C" primary key,
  url text not null,
  secret bytea not null,
  previous_secret bytea, -- signs as well until previous_secret_until
  previous_secret_until bigint,
  cursor_order bigint not null, -- events up to it have a delivery or need none, so that writing an event costs nothing here
  created_at bigint not null,
  updated_at bigint not null,
  lease_holder text,
  lease_until bigint,
  served_at bigint not null default 0, -- when a lease was last acquired
  constraint webhook_previous_secret_check check ((previous_secret is null) = (previous_secret_until is null)),
  constraint webhook_lease_check check ((lease_holder is null) = (lease_until is null))
) with (fillfactor = 50);

-- The delivery of an event that has been attempted or has to wait. Deliveries with the same subject keep their order: of those
-- never delivered only the earliest is waiting, the others are held behind it.
create table webhook_delivery (
  package_name text collate "C" not null,
  event_order bigint not null,
  event_id text collate "C" not null,
  event_type text not null,
  event_time bigint not null,
  purchase_id text collate "C",
  subject text collate "C", -- a subscription or a purchase, null for a test
  state text collate "C" not null
    constraint webhook_delivery_state_check check (state in ('delivered', 'waiting', 'held', 'dead')),
  due_time bigint, -- of the next attempt
  schedule_start bigint, -- when the present schedule of attempts started
  schedule_attempts integer not null, -- the attempts made since then
  delivered_time bigint, -- null: never delivered
  attempts json not null, -- an array of the contract's DeliveryAttempt
  primary key (package_name, event_order),
  constraint webhook_delivery_waiting_check check ((state = 'waiting') = (due_time is not null)),
  constraint webhook_delivery_held_check check (state <> 'held' or (subject is not null and delivered_time is null)),
  constraint webhook_delivery_delivered_check check (state <> 'delivered' or delivered_time is not null)
);
-- In this order they find the due deliveries of an app, the open ones of a subject, and the undelivered ones.
create index webhook_delivery_due on webhook_delivery (package_name, due_time, event_order) where state = 'waiting';
create index webhook_delivery_open on webhook_delivery (package_name, subject, event_order)
  where state in ('waiting', 'held') and delivered_time is null;
create index webhook_delivery_failed on webhook_delivery (package_name, state, event_order) where state <> 'delivered';

-- ---------- Statistics ----------

-- What an app sold, and what became of it, on a day in statistics_time_zone, by product and currency
-- (docs/decisions/statistics.md). Rows are derived from purchases, subscriptions and events, so no export has them. Only
-- days with changes have a row.
create table statistic_day (
  package_name text collate "C" not null,
  day date not null,
  product_id text collate "C" not null,
  currency text collate "C" not null,
  sold bigint not null, -- the number of sales on the day, with the sum of their prices, likewise for the others
  sold_amount bigint not null,
  trials bigint not null, -- first periods that cost 0, which are not counted as sold
  started bigint not null,
  started_amount bigint not null,
  renewed_first bigint not null,
  renewed_first_amount bigint not null,
  renewed_later bigint not null,
  renewed_later_amount bigint not null,
  voided bigint not null,
  voided_amount bigint not null,
  declined bigint not null,
  lost bigint not null,
  cancelled bigint not null,
  expired bigint not null,
  ended bigint not null, -- started - ended, summed up to a day, is the number of active subscriptions at its end
  primary key (package_name, day, product_id, currency)
) with (fillfactor = 70);
-- It serves reads of all apps; the primary key serves those of one app.
create index statistic_day_of_all on statistic_day (day);
-- It has all columns from which the active subscriptions of all apps before a day are added up.
create index statistic_day_active on statistic_day (day) include (package_name, product_id, currency, started, ended)
  where started <> 0 or ended <> 0;

-- A month of an app that has closed: an interval of its event orders, with what these events sum up to, by product and currency.
-- It never changes (docs/decisions/statements.md). Each month has one row without a product and a currency, which has the
-- interval.
create table closed_month (
  package_name text collate "C" not null,
  month text collate "C" not null, -- such as 2026-03
  product_id text collate "C" not null, -- '' in the row of the month, and so is the currency
  currency text collate "C" not null,
  first_order bigint, -- null except in the row of the month, likewise the next four; after last_order if the month has no events
  last_order bigint,
  closed_at bigint,
  time_zone text, -- in which the month ends
  is_incomplete boolean, -- true if some of its events were removed before it closed
  sales bigint not null,
  sales_amount bigint not null,
  trials bigint not null,
  renewals bigint not null,
  renewals_amount bigint not null,
  refunds bigint not null,
  refunds_amount bigint not null,
  primary key (package_name, month, product_id, currency),
  constraint closed_month_interval_check check (
    num_nonnulls(first_order, last_order, closed_at, time_zone, is_incomplete) = case when product_id = '' then 5 else 0 end
    and (product_id = '') = (currency = '') and last_order >= first_order - 1)
);
-- The months of an app in their order.
create index closed_month_of_app on closed_month (package_name, month) where product_id = '';

-- ---------- The audit trail ----------

-- One row for each operator call that changed something, for each file of a list, and for each import and export. Rows
-- without an app have the package name ''. Retention never deletes them (docs/decisions/audit.md).
create table operator_action (
  package_name text collate "C" not null,
  action_order bigint not null,
  made_at bigint not null,
  operation_id text not null,
  made_by text not null,
  client_address text,
  request_id text collate "C",
  subject text collate "C",
  detail json,
  reason_code text,
  note text,
  ticket text,
  is_imported boolean not null default false,
  primary key (package_name, action_order)
);
-- In this order they serve listActions for the store, for an app and for a subject.
create index operator_action_by_time on operator_action (made_at, package_name, action_order);
create index operator_action_of_app on operator_action (package_name, made_at, action_order);
create index operator_action_of_subject on operator_action (subject, made_at, package_name, action_order)
  where subject is not null;
-- It finds the actions of a request id.
create index operator_action_of_request on operator_action (request_id) where request_id is not null;

-- ---------- The clocks ----------

-- The mark: the database's time, stored once a minute in the one row of this table, whose package_name is that of no app. In
-- production no date is before it, and a distance from it shows that the clock has jumped.
create table clock_mark (
  package_name text collate "C" primary key constraint clock_mark_package_name_check check (package_name = ''),
  database_time bigint not null
);

-- ---------- The sandbox ----------

-- The clock of an app, in the sandbox only; an app without a row uses real time at rate 1. A frozen clock shows
-- app_time, a running one app_time + (real now - real_time) * rate.
create table app_clock (
  package_name text collate "C" primary key,
  mode text not null constraint app_clock_mode_check check (mode in ('running', 'frozen')),
  rate double precision not null default 1 constraint app_clock_rate_check check (rate > 0),
  real_time bigint not null, -- real time, at which the clock showed app_time
  app_time bigint not null,
  advance_to bigint, -- the target of the advance in progress, whose server holds the lease
  lease_holder text,
  lease_until bigint,
  constraint app_clock_lease_check check ((lease_holder is null) = (lease_until is null))
);

-- The faults of the last putFaults, in the sandbox only and in their order.
create table fault (
  package_name text collate "C" not null,
  position integer not null,
  put_id text collate "C" not null, -- that call, so that a request that read an earlier list counts nothing in this one
  operation text not null,
  code integer,
  http_status integer constraint fault_http_status_check check (http_status between 400 and 599),
  delay_ms integer constraint fault_delay_ms_check check (delay_ms >= 0),
  cut text constraint fault_cut_check check (cut in ('before', 'after')),
  outcome text
    constraint fault_outcome_check check (outcome in ('declined', 'declinedFinal', 'pending', 'noAnswer')),
  first_purchase_id text collate "C",
  times integer constraint fault_times_check check (times > 0),
  times_applied bigint not null default 0, -- the requests that got the fault
  primary key (package_name, position)
);

-- The last calls of each app, in the sandbox only. No column contains the token or the client secret of the call.
create table request_log (
  package_name text collate "C" not null,
  called_at bigint not null,
  call_order bigint not null, -- counts within the server process
  request_id text collate "C" not null,
  app_time bigint not null,
  operation_id text not null,
  method text not null,
  path text not null,
  http_status integer,
  error_code integer,
  latency_ms double precision not null,
  response text not null,
  is_response_cut boolean not null,
  fault_position integer,
  is_json boolean not null,
  has_ignored_body boolean not null,
  authorization_header text not null, -- with *** for the token or secret, as in secret_shape: hints are computed from both
  secret_shape text,
  primary key (package_name, called_at, call_order, request_id)
);
-- It finds the calls of a request id.
create index request_log_of_request on request_log (request_id);

-- ---------- Functions ----------

-- The database's time in ms, by which everything about money is dated. Tests replace it.
create function database_time() returns bigint language sql volatile as
$$ select floor(extract(epoch from clock_timestamp()) * 1000)::bigint $$;

-- The time of an app: appNow of domain/sandbox/app-clock.ts. Without a clock, its columns are null.
create function app_time_v1(
  p_mode text, p_rate double precision, p_real_time bigint, p_app_time bigint, p_real_now bigint
) returns bigint language sql immutable as $$
  select case
    when p_mode = 'frozen' then p_app_time
    when p_mode = 'running' then greatest(p_app_time, least(9994643199999,
      floor(p_app_time + greatest(0, p_real_now - p_real_time) * p_rate))::bigint)
    else p_real_now end
$$;

-- Acquires advisory lock 1, that of the voids of an app, until the transaction ends: exclusive for a void, before it reads the
-- time that dates it, and shared for a page that no later void may belong to (docs/decisions/purchases.md).
create function lock_voids_v1(p_app text) returns boolean language sql volatile as
$$ select true from pg_advisory_xact_lock(1, hashtext(p_app)) $$;
create function share_voids_v1(p_app text, p_waits boolean) returns boolean language plpgsql volatile as $$
begin
  if not p_waits then return pg_try_advisory_xact_lock_shared(1, hashtext(p_app)); end if;
  perform pg_advisory_xact_lock_shared(1, hashtext(p_app));
  return true;
end $$;

-- The most frequent calls: each function is for many requests of many apps, with an array for each column. On a cluster a
-- call is for one app and runs on its node, which p_package_name names; Citus would not do so with one statement that
-- inserts (docs/decisions/scaling.md). A function that changes gets the next number in a later migration, since servers of
-- two versions may run together.

-- Advances the orders of events, of which p_apps has the app of each, and returns each app once with its last order before that.
-- Counter rows are locked by plain updates, in the order of their names: an update of a row that the same statement has
-- locked may deadlock with a lock that others share (docs/decisions/database.md).
create function count_events_v1(p_apps text[], out apps text[], out last_orders bigint[]) language plpgsql as $$
declare
  v_app text;
  v_events bigint;
  v_last_order bigint;
begin
  if p_apps[1] = all(p_apps) then
    update app_counter c set event_order = c.event_order + cardinality(p_apps) where c.package_name = p_apps[1]
    returning array[c.package_name], array[c.event_order - cardinality(p_apps)] into apps, last_orders;
    return;
  end if;
  for v_app, v_events in select a.app, count(*) from unnest(p_apps) as a (app) group by a.app order by a.app collate "C" loop
    update app_counter c set event_order = c.event_order + v_events where c.package_name = v_app
    returning c.event_order - v_events into v_last_order;
    apps := apps || v_app;
    last_orders := last_orders || v_last_order;
  end loop;
end $$;

-- consumptions.ts: consumes purchases and writes their events; an outcome for each position. Rows are locked in the order
-- of the primary key, purchases before counters. p_waits: waits for the locked rows of one app instead of skipping them.
-- p_shows: returns the rows of the purchases that were found, as they are now.
create function consume_purchases_v1(
  p_package_name text, p_package_names text[], p_purchase_ids text[], p_made_by text[], p_request_ids text[],
  p_mark bigint, p_lock_timeout text, p_waits boolean, p_shows boolean
) returns table ("position" bigint, outcome text, purchase json) language plpgsql as $$
#variable_conflict use_column
declare
  v_found bigint[];
  v_voided bigint[];
  v_free bigint[];
  v_apps text[];
  v_products text[];
  v_locked bigint[];
  v_now bigint;
  v_clocks text[];
  v_times bigint[];
  v_counted text[];
  v_last_orders bigint[];
begin
  perform set_config('lock_timeout', p_lock_timeout, true);
  if p_waits then
    perform from purchase p where p.package_name = p_package_name and p.purchase_id = any(p_purchase_ids)
    order by p.purchase_id for no key update;
  end if;
  -- If there are several requests for one purchase, the first may consume it.
  with request as (
    select r.*, row_number() over (partition by r.package_name, r.purchase_id order by r.position) as nth
    from unnest(p_package_names, p_purchase_ids) with ordinality as r (package_name, purchase_id, position)
  ), found as (
    select r.position, p.package_name, p.product_id, p.voided_time,
      num_nonnulls(p.voided_time, p.consumed_time, p.first_purchase_id) = 0 as is_free
    from request r join purchase p on p.package_name = r.package_name and p.purchase_id = r.purchase_id
    where r.nth = 1 and p.package_name = any(p_package_names)
    order by p.package_name, p.purchase_id
    for no key update of p skip locked
  )
  select array_agg(f.position), array_agg(f.position) filter (where f.voided_time is not null),
    array_agg(f.position) filter (where f.is_free), array_agg(f.package_name) filter (where f.is_free),
    array_agg(f.product_id) filter (where f.is_free)
  into v_found, v_voided, v_free, v_apps, v_products from found f;
  if v_free is not null then
    v_now := greatest(database_time(), p_mark);
    select array_agg(c.package_name), array_agg(app_time_v1(c.mode, c.rate, c.real_time, c.app_time, v_now))
    into v_clocks, v_times from app_clock c where c.package_name = any(p_package_names);
    update purchase p set consumed_time = coalesce(v_times[array_position(v_clocks, r.package_name)], v_now),
      consumed_by = nullif(r.made_by, 'app')
    from unnest(p_package_names, p_purchase_ids, p_made_by) with ordinality
      as r (package_name, purchase_id, made_by, position)
    where r.position = any(v_free) and p.package_name = r.package_name and p.purchase_id = r.purchase_id
      and p.package_name = any(p_package_names);
    select c.apps, c.last_orders into v_counted, v_last_orders from count_events_v1(v_apps) c;
    insert into event (package_name, event_order, type, event_time, purchase_id, product_id, made_by, request_id)
    select c.package_name, c.last_order + row_number() over (partition by c.package_name order by f.position),
      'purchase.consumed', coalesce(v_times[array_position(v_clocks, c.package_name)], v_now), p_purchase_ids[f.position],
      f.product_id, p_made_by[f.position], p_request_ids[f.position]
    from unnest(v_free, v_products) as f (position, product_id)
    join unnest(v_counted, v_last_orders) as c (package_name, last_order) on c.package_name = p_package_names[f.position];
  end if;
  if cardinality(v_found) is distinct from cardinality(p_purchase_ids) then
    select array_agg(r.position) into v_locked
    from unnest(p_package_names, p_purchase_ids) with ordinality as r (package_name, purchase_id, position)
    join purchase p on p.package_name = r.package_name and p.purchase_id = r.purchase_id
    where p.package_name = any(p_package_names);
  end if;
  return query
    select r.position, case
      when r.position = any(v_free) then 'consumed'
      when f.position = any(v_voided) then 'notCompleted'
      when f.position is not null then 'cannotChange'
      when r.position = any(v_locked) then 'locked'
      else 'notCompleted' end, (
      select to_json(shown) from (
        select * from purchase p
        where p_shows and f.position is not null and p.package_name = r.package_name and p.purchase_id = r.purchase_id
          and p.package_name = any(p_package_names) limit 1) as shown)
    from unnest(p_package_names, p_purchase_ids) with ordinality as r (package_name, purchase_id, position)
    left join unnest(v_found) as f (position)
      on p_package_names[f.position] = r.package_name and p_purchase_ids[f.position] = r.purchase_id;
end $$;

-- recorded-purchases.ts: inserts purchases of one-time products, consumed ones as well, and writes their events; a row for
-- each that was inserted. Rows are inserted in the order of the primary key, and counters are locked last. A purchase whose
-- time is more than p_ahead_max ms ahead of now is not inserted; without a time it is now.
create function record_purchases_v1(
  p_package_name text, p_package_names text[], p_purchase_ids text[], p_product_ids text[], p_order_ids text[],
  p_buyer_ids text[], p_purchase_times bigint[], p_payloads text[], p_prices bigint[], p_are_consumed boolean[],
  p_consumed_by text[], p_made_by text[], p_request_ids text[], p_client_addresses text[], p_mark bigint,
  p_ahead_max bigint, p_lock_timeout text
) returns table ("position" bigint, price bigint, currency text, "purchaseTime" bigint) language plpgsql as $$
#variable_conflict use_column
declare
  v_now bigint;
  v_clocks text[];
  v_clock_times bigint[];
  v_first bigint[];
  v_nows bigint[];
  v_times bigint[];
  v_prices bigint[];
  v_currencies text[];
  v_row record;
  v_apps text[] := '{}';
  v_ids text[] := '{}';
  v_inserted bigint[];
  v_event_apps text[];
  v_counted text[];
  v_last_orders bigint[];
begin
  perform set_config('lock_timeout', p_lock_timeout, true);
  v_now := greatest(database_time(), p_mark);
  select array_agg(c.package_name), array_agg(app_time_v1(c.mode, c.rate, c.real_time, c.app_time, v_now))
  into v_clocks, v_clock_times from app_clock c where c.package_name = any(p_package_names);
  -- If several requests have the same id, the first may be inserted.
  select array_agg(r.position), array_agg(r.now), array_agg(coalesce(r.purchase_time, r.now)),
    array_agg(coalesce(p_prices[r.position], d.price)), array_agg(d.currency)
  into v_first, v_nows, v_times, v_prices, v_currencies
  from (
    select r.*, row_number() over (partition by r.package_name, r.purchase_id order by r.position) as nth,
      coalesce(v_clock_times[array_position(v_clocks, r.package_name)], v_now) as now
    from unnest(p_package_names, p_purchase_ids, p_product_ids, p_purchase_times) with ordinality
      as r (package_name, purchase_id, product_id, purchase_time, position)
  ) as r
  join product d on d.package_name = r.package_name and d.product_id = r.product_id
  join app a on a.package_name = r.package_name
  where r.nth = 1 and d.type = 'oneTime' and a.disabled_at is null and d.package_name = any(p_package_names)
    and coalesce(r.purchase_time, r.now) <= r.now + p_ahead_max;
  for v_row in
    insert into purchase as p (package_name, purchase_id, product_id, order_id, buyer_id, purchase_time, developer_payload,
      price, currency, consumed_time, consumed_by, recorded_by, recorded_from, recorded_request_id)
    select p_package_names[r.position], p_purchase_ids[r.position], p_product_ids[r.position], p_order_ids[r.position],
      p_buyer_ids[r.position], r.purchase_time, p_payloads[r.position], r.price, r.currency,
      case when p_are_consumed[r.position] then r.purchase_time end, p_consumed_by[r.position], p_made_by[r.position],
      p_client_addresses[r.position], p_request_ids[r.position]
    from unnest(v_first, v_times, v_prices, v_currencies) as r (position, purchase_time, price, currency)
    order by p_package_names[r.position] collate "C", p_purchase_ids[r.position] collate "C"
    on conflict do nothing
    returning p.package_name, p.purchase_id
  loop
    v_apps := v_apps || v_row.package_name;
    v_ids := v_ids || v_row.purchase_id;
  end loop;
  if v_ids = '{}' then return; end if;
  -- Usually all were inserted.
  v_inserted := v_first;
  if cardinality(v_ids) < cardinality(v_first) then
    select array_agg(f.position) into v_inserted from unnest(v_first) as f (position)
    join unnest(v_apps, v_ids) as i (package_name, purchase_id)
      on i.package_name = p_package_names[f.position] and i.purchase_id = p_purchase_ids[f.position];
  end if;
  -- The app of each event: a consumed purchase has two.
  select v_apps || coalesce(array_agg(p_package_names[i.position]), '{}') into v_event_apps
  from unnest(v_inserted) as i (position) where p_are_consumed[i.position];
  select c.apps, c.last_orders into v_counted, v_last_orders from count_events_v1(v_event_apps) c;
  insert into event (package_name, event_order, type, event_time, purchase_id, product_id, made_by, request_id)
  select c.package_name, c.last_order + row_number() over (partition by c.package_name order by i.position, t.nth),
    t.type, v_nows[array_position(v_first, i.position)], p_purchase_ids[i.position], p_product_ids[i.position],
    p_made_by[i.position], p_request_ids[i.position]
  from unnest(v_inserted) as i (position)
  join unnest(v_counted, v_last_orders) as c (package_name, last_order) on c.package_name = p_package_names[i.position]
  join (values (1, 'purchase.completed'), (2, 'purchase.consumed')) as t (nth, type)
    on t.nth = 1 or p_are_consumed[i.position];
  return query
    select f.position, f.price, f.currency, f.purchase_time
    from unnest(v_first, v_prices, v_currencies, v_times) as f (position, price, currency, purchase_time)
    where f.position = any(v_inserted);
end $$;

-- voided-purchases.ts: reads pages of voided lists. A first page shares the lock of the voids of its app before it reads
-- the time, so that every void it does not see is dated at that time or later; it is locked, without entries, if the lock
-- is not free, unless p_waits. "latest" is the app's time, or the time of its last void, which may be up to p_ahead_max ms
-- later. A page whose end is later has no entries. An open end is "latest".
create function list_voided_v1(
  p_package_name text, p_package_names text[], p_start_times bigint[], p_end_times bigint[], p_are_ends_open boolean[],
  p_after_times bigint[], p_after_orders bigint[], p_limits integer[], p_mark bigint, p_ahead_max bigint,
  p_lock_timeout text, p_waits boolean
) returns table (
  "position" bigint, "isLocked" boolean, now bigint, latest bigint, "purchaseId" text, "purchaseTime" bigint,
  "voidedTime" bigint, "voidOrder" bigint
) language plpgsql as $$
#variable_conflict use_column
declare
  v_app text;
  v_locked text[] := '{}';
  v_now bigint;
  v_clocks text[];
  v_times bigint[];
begin
  perform set_config('lock_timeout', p_lock_timeout, true);
  for v_app in
    select distinct r.package_name collate "C" from unnest(p_package_names, p_after_orders) as r (package_name, after_order)
    where r.after_order = 0 order by 1
  loop
    if not share_voids_v1(v_app, p_waits) then v_locked := v_locked || v_app; end if;
  end loop;
  v_now := greatest(database_time(), p_mark);
  select array_agg(c.package_name), array_agg(app_time_v1(c.mode, c.rate, c.real_time, c.app_time, v_now))
  into v_clocks, v_times from app_clock c where c.package_name = any(p_package_names);
  return query
    select r.position, r.is_locked, r.now, l.latest, page.purchase_id, page.purchase_time, page.voided_time, page.void_order
    from (
      select r.*, coalesce(v_times[array_position(v_clocks, r.package_name)], v_now) as now,
        r.after_order = 0 and r.package_name = any(v_locked) as is_locked
      from unnest(p_package_names, p_start_times, p_end_times, p_are_ends_open, p_after_times, p_after_orders, p_limits)
        with ordinality
        as r (package_name, start_time, end_time, is_end_open, after_time, after_order, row_limit, position)
    ) as r
    join app_counter c on c.package_name = r.package_name and c.package_name = any(p_package_names)
    cross join lateral (select greatest(r.now,
      case when c.last_voided_time <= r.now + p_ahead_max then c.last_voided_time end) as latest) as l
    left join lateral (
      select p.purchase_id, p.purchase_time, p.voided_time, p.void_order
      from purchase p
      where p.package_name = r.package_name and p.package_name = any(p_package_names)
        and not r.is_locked and (r.is_end_open or r.after_order > 0 or r.end_time <= l.latest)
        and p.voided_time >= r.start_time and p.voided_time <= case when r.is_end_open then l.latest else r.end_time end
        and (p.voided_time, p.void_order) > (r.after_time, r.after_order)
      order by p.voided_time, p.void_order
      limit r.row_limit
    ) as page on true
    order by r.position, page.voided_time, page.void_order;
end $$;
