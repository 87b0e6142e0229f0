-- Up Migration

-- The clock of an app, in the sandbox only. No row: the app lives in real time at rate 1. Frozen, its
-- now is app_time; running, app_time + (real now - real_time) * rate. advance_to is the instant that an
-- advance under way aims at; lease_holder and lease_until (real time) keep others away from the app.
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
