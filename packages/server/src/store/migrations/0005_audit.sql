-- Up Migration

-- The audit trail: one row for each operator call that changed something or was rejected, and for each import, export and
-- repair. Rows without an app have the package name ''. Retention never deletes them. hash is computed from the other
-- columns (but is_imported) and the hash of the previous row (docs/decisions/audit.md).
create table operator_action (
  package_name text not null,
  action_order bigint not null,
  made_at bigint not null,
  operation_id text not null,
  made_by text not null,
  client_address text,
  request_id text,
  subject text,
  outcome text not null check (outcome in ('success', 'forbidden', 'conflict')),
  detail text,
  reason_code text,
  note text,
  ticket text,
  hash bytea not null check (octet_length(hash) = 32),
  is_imported boolean not null default false,
  primary key (package_name, action_order)
);
-- In this order they serve listActions for the store, for an app and for a subject.
create index operator_action_by_time on operator_action (made_at, package_name, action_order);
create index operator_action_of_app on operator_action (package_name, made_at, action_order);
create index operator_action_of_subject on operator_action (subject, made_at, package_name, action_order)
  where subject is not null;

-- action_order and action_head are the order and the hash of the last action of the app. The row '' counts the actions
-- without an app.
alter table app_counter
  add column action_order bigint not null default 0,
  add column action_head bytea;
insert into app_counter (package_name) values ('');

-- The changes of apps become the first actions of their chains.
insert into operator_action (package_name, action_order, made_at, operation_id, made_by, request_id, outcome, detail, hash)
with recursive action as (
  (select distinct on (package_name) c.*, 1::bigint as action_order,
    sha256(convert_to('{' || coalesce('"detail":' || to_json(nullif(detail, '')) || ',', '') || '"madeBy":' || to_json(made_by) || ',"operationId":'
      || to_json(operation_id) || ',"order":1,"outcome":"success","packageName":' || to_json(package_name)
      || ',"requestId":' || to_json(request_id) || ',"time":' || made_at || '}', 'UTF8')) as hash
    from app_change c order by package_name, change_order)
  union all
  select c.*, a.action_order + 1,
    sha256(convert_to('{' || coalesce('"detail":' || to_json(nullif(c.detail, '')) || ',', '') || '"madeBy":' || to_json(c.made_by) || ',"operationId":'
      || to_json(c.operation_id) || ',"order":' || a.action_order + 1 || ',"outcome":"success","packageName":'
      || to_json(c.package_name) || ',"previousHash":"' || encode(a.hash, 'hex') || '","requestId":'
      || to_json(c.request_id) || ',"time":' || c.made_at || '}', 'UTF8'))
  from action a cross join lateral (
    select * from app_change where package_name = a.package_name and change_order > a.change_order
    order by change_order limit 1) as c
)
select package_name, action_order, made_at, operation_id, made_by, request_id, 'success', nullif(detail, ''), hash from action;
update app_counter c set action_order = a.action_order, action_head = a.hash
  from (select distinct on (package_name) package_name, action_order, hash from operator_action
    order by package_name, action_order desc) as a
  where a.package_name = c.package_name;
drop table app_change;
alter table app_counter drop column change_order;

-- The heads of chains that grew are logged once a day: up to which order, and when. The index finds those that grew.
alter table app_counter
  add column action_logged_order bigint not null default 0,
  add column action_logged_at bigint not null default 0;
create index app_counter_grown on app_counter (package_name) where action_order > action_logged_order;

-- Authors are kept where retention does not delete them. recorded_from is the client address of the call.
alter table purchase
  add column recorded_by text,
  add column recorded_from text,
  add column recorded_request_id text,
  add column voided_by text,
  add column is_imported boolean not null default false;
alter table subscription add column auto_payment_changed_by text;
alter table event add column is_imported boolean not null default false;

-- Servers of an earlier version write app_change.
update installation set oldest_compatible_schema = 5;
alter table installation alter column oldest_compatible_schema set default 5;
