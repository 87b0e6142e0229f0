-- Up Migration

-- was_pending: the gateway has answered pending once, so that a retry is never the first request that reaches it. An
-- open attempt without next_try_time is unresolved: its outcome is unknown, and it is no longer retried.
alter table renewal_attempt add column was_pending boolean not null default false;
alter table renewal_attempt drop constraint renewal_attempt_check;
alter table renewal_attempt add constraint renewal_attempt_outcome check (
  (outcome is null) = (settled_time is null) and (outcome is null or next_try_time is null)) not valid;

-- Why a subscription expired; null for all other events, and for those of earlier versions.
alter table event add column expiry_reason text;
