-- Up Migration

-- In this order it serves listVoids for the whole store; purchase_void_order serves it for an app.
create index purchase_voided on purchase (voided_time, package_name, purchase_id) where voided_time is not null;

-- They find names by their start, whatever the collation of the database.
create index app_by_name on app (package_name text_pattern_ops);
create index product_by_id on product (product_id text_pattern_ops, package_name);

-- They find the calls of a request id.
create index operator_action_of_request on operator_action (request_id) where request_id is not null;
create index request_log_of_request on request_log (request_id);
