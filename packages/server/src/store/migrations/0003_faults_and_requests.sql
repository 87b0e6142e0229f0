-- Up Migration

-- What a developer wants to go wrong, in the sandbox only: the list of the last putFaults, in its order.
-- put_id names that call, so that a call which still goes by an earlier list counts nothing in this one.
-- met counts the calls that came by and drew, applied those that it happened to.
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

-- The last calls of each app, in the sandbox only. called_at is real time, app_time the app's own; call_order
-- counts within the process that took the call. Nothing in it is a token or a secret.
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
