-- Up Migration

-- Lists of subscriptions by their start: of all apps, of one app, and of one buyer.
create index subscription_by_start on subscription (first_start, package_name, first_purchase_id);
create index subscription_of_app on subscription (package_name, first_start, first_purchase_id);
create index subscription_buyer on subscription (buyer_id, first_start, package_name, first_purchase_id)
  where buyer_id is not null;

-- Those with auto-payment on by the end of the paid month: of all apps and of one app. Payments are outstanding up to now.
create index subscription_renewing on subscription (expiry_time, package_name, first_purchase_id) where auto_renewing;
create index subscription_renewing_of_app on subscription (package_name, expiry_time, first_purchase_id)
  where auto_renewing;

-- Those of a product with auto-payment on.
create index subscription_renewing_product on subscription (package_name, product_id, first_purchase_id)
  where auto_renewing;
