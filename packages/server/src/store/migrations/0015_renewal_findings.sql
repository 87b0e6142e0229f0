-- Up Migration

-- When the buyer of the subscription was erased, in real time: it is never reactivated. A buyer_id is optional, so its
-- absence says nothing.
alter table subscription add column erased_at bigint;
