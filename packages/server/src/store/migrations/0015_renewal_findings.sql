-- Up Migration

-- When the buyer of the subscription was erased, in real time: it is never reactivated. A buyer_id is optional, so its
-- absence says nothing.
alter table subscription add column erased_at bigint;

-- When the gateway reported the charge as paid although it had been settled as declined; null once that is settled again.
alter table renewal_attempt add column conflict_time bigint;
alter table renewal_attempt add constraint renewal_attempt_conflict_time check (
  conflict_time is null or coalesce(outcome, '') in ('declined', 'declined_final'));
create index renewal_attempt_conflict on renewal_attempt (package_name, first_purchase_id) where conflict_time is not null;
