-- Up Migration

-- The row that a transaction locks for an app as a whole, written when it is first locked. On a cluster, app has a copy on
-- every node, and locking one of its rows locks all.
create table app_lock (
  package_name text primary key
);
