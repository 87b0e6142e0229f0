-- Up Migration

-- buyer_key: the key of the hashes by which the audit trail names erased buyers. It never leaves the database.
alter table installation add column buyer_key bytea not null
  default decode(replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', ''), 'hex')
  check (octet_length(buyer_key) = 32);
