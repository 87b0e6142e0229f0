-- Up Migration

-- The record of a month as the purchase API showed it after the change. Null for a one-time purchase, whose
-- record follows from the type of the event and from what never changes in its purchase; for an event without a
-- purchase; and for one that a server of the version before wrote. An event without a purchase is a test.
alter table event
  add column record json,
  alter column purchase_id drop not null,
  alter column product_id drop not null;

-- Up to which order an app's events were written by the end of a day of real time, counted from 1970: what
-- tells how old an event is, whatever the clock of its app said.
create table event_day (
  package_name text not null,
  day integer not null,
  event_order bigint not null,
  primary key (package_name, day)
);
