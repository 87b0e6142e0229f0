-- Up Migration

-- Renewals that are paused, or were: of an app, or of the whole store under the package name ''. paused_at is null
-- after a resume. Instants are real time.
create table renewal_pause (
  package_name text primary key,
  paused_at bigint,
  paused_by text,
  reason text,
  resumed_at bigint,
  check (num_nulls(paused_at, paused_by) in (0, 2) and (reason is null or paused_at is not null))
);

-- When the app was last enabled again, in real time.
alter table app add column enabled_at bigint;
