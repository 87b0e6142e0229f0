-- Up Migration

-- The record of a month as the purchase API showed it after the change. Null for a one-time purchase, whose
-- record follows from the type of the event and from what never changes in its purchase; for an event without a
-- purchase; and for one that a server of the version before wrote. An event without a purchase is a test.
alter table event
  add column record json,
  add column written_at bigint not null default (extract(epoch from statement_timestamp()) * 1000)::bigint,
  alter column purchase_id drop not null,
  alter column product_id drop not null;
