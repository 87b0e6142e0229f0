-- Up Migration

-- The database's time, stored once a minute by the job of a server in the one row of this table, whose package_name is
-- that of no app. A distance from it shows that the clock has jumped.
create table clock_mark (
  package_name text primary key check (package_name = ''),
  database_time bigint not null
);
