-- Up Migration

-- What a cluster does in one call on the node of an app: Citus would run the statements of one PostgreSQL in several
-- parts (docs/decisions/cluster.md). Every table is filtered by the package name, and every plan is for its value: one for
-- any value would visit all shards. A function that changes gets the next number, since servers of two versions may run
-- together.

-- consumptions.ts: consumes purchases and writes their events; an outcome for each position. p_waits: waits for locked rows
-- instead of skipping them.
create function consume_purchases_v1(
  p_package_name text, p_purchase_ids text[], p_event_times bigint[], p_made_by text[], p_request_ids text[],
  p_lock_timeout text, p_waits boolean
) returns table ("position" bigint, outcome text) language plpgsql set plan_cache_mode = force_custom_plan as $$
declare
  v_found text[];
  v_voided text[];
  v_free text[];
  v_products text[];
  v_locked text[];
  v_last_order bigint;
begin
  perform set_config('lock_timeout', p_lock_timeout, true);
  if p_waits then
    with found as (
      select p.purchase_id, p.voided_time, p.consumed_time, p.first_purchase_id, p.product_id from purchase p
      where p.package_name = p_package_name and p.purchase_id = any(p_purchase_ids)
      order by p.purchase_id for no key update)
    select array_agg(f.purchase_id), array_agg(f.purchase_id) filter (where f.voided_time is not null),
      array_agg(f.purchase_id) filter (where num_nonnulls(f.voided_time, f.consumed_time, f.first_purchase_id) = 0),
      array_agg(f.product_id) filter (where num_nonnulls(f.voided_time, f.consumed_time, f.first_purchase_id) = 0)
    into v_found, v_voided, v_free, v_products from found f;
  else
    with found as (
      select p.purchase_id, p.voided_time, p.consumed_time, p.first_purchase_id, p.product_id from purchase p
      where p.package_name = p_package_name and p.purchase_id = any(p_purchase_ids)
      order by p.purchase_id for no key update skip locked)
    select array_agg(f.purchase_id), array_agg(f.purchase_id) filter (where f.voided_time is not null),
      array_agg(f.purchase_id) filter (where num_nonnulls(f.voided_time, f.consumed_time, f.first_purchase_id) = 0),
      array_agg(f.product_id) filter (where num_nonnulls(f.voided_time, f.consumed_time, f.first_purchase_id) = 0)
    into v_found, v_voided, v_free, v_products from found f;
  end if;
  if exists (select from unnest(p_purchase_ids) as r (id) where r.id <> all(coalesce(v_found, '{}'))) then
    select array_agg(p.purchase_id) into v_locked from purchase p
    where p.package_name = p_package_name and p.purchase_id = any(p_purchase_ids)
      and p.purchase_id <> all(coalesce(v_found, '{}'));
  end if;
  if v_free is not null then
    -- Of several requests for one purchase, the first consumes it.
    with request as (
      select distinct on (r.purchase_id) r.purchase_id, r.event_time
      from unnest(p_purchase_ids, p_event_times) with ordinality as r (purchase_id, event_time, nth)
      order by r.purchase_id, r.nth)
    update purchase p set consumed_time = r.event_time from request r
    where p.package_name = p_package_name and p.purchase_id = r.purchase_id and p.purchase_id = any(v_free);
    update app_counter c set event_order = c.event_order + cardinality(v_free)
    where c.package_name = p_package_name returning c.event_order - cardinality(v_free) into v_last_order;
    insert into event (package_name, event_order, type, event_time, purchase_id, product_id, made_by, request_id)
    select p_package_name, v_last_order + row_number() over (order by r.nth), 'purchase.consumed', r.event_time,
      r.purchase_id, r.product_id, r.made_by, r.request_id
    from (
      select distinct on (u.purchase_id) u.*, f.product_id
      from unnest(p_purchase_ids, p_event_times, p_made_by, p_request_ids) with ordinality
        as u (purchase_id, event_time, made_by, request_id, nth)
      join unnest(v_free, v_products) as f (purchase_id, product_id) on f.purchase_id = u.purchase_id
      order by u.purchase_id, u.nth) as r;
  end if;
  return query
    select r.nth, case
      when r.purchase_id = any(v_free) and r.nth = min(r.nth) over (partition by r.purchase_id) then 'consumed'
      when r.purchase_id = any(v_voided) then 'notCompleted'
      when r.purchase_id = any(v_found) then 'cannotChange'
      when r.purchase_id = any(v_locked) then 'locked'
      else 'notCompleted' end
    from unnest(p_purchase_ids) with ordinality as r (purchase_id, nth);
end $$;

-- recorded-purchases.ts: inserts purchases of one-time products and writes their events; a row for each that was inserted.
create function record_purchases_v1(
  p_package_name text, p_purchase_ids text[], p_product_ids text[], p_order_ids text[], p_buyer_ids text[],
  p_purchase_times bigint[], p_payloads text[], p_prices bigint[], p_event_times bigint[], p_made_by text[],
  p_request_ids text[], p_client_addresses text[], p_lock_timeout text
) returns table ("position" bigint, price bigint, currency text) language plpgsql set plan_cache_mode = force_custom_plan as $$
declare
  v_request record;
  v_product record;
  v_inserted bigint[] := '{}';
  v_last_order bigint;
begin
  perform set_config('lock_timeout', p_lock_timeout, true);
  if not exists (select from app a where a.package_name = p_package_name and a.disabled_at is null) then
    return;
  end if;
  -- Of several requests with the same id, the first is inserted.
  for v_request in
    select * from unnest(p_purchase_ids, p_product_ids, p_order_ids, p_buyer_ids, p_purchase_times, p_payloads, p_prices,
        p_made_by, p_request_ids, p_client_addresses) with ordinality
      as r (purchase_id, product_id, order_id, buyer_id, purchase_time, payload, price, made_by, request_id,
        client_address, nth)
    order by r.purchase_id, r.nth
  loop
    select p.price, p.currency into v_product from product p
    where p.package_name = p_package_name and p.product_id = v_request.product_id and p.type = 'one_time';
    if not found then continue; end if;
    "position" := v_request.nth;
    price := coalesce(v_request.price, v_product.price);
    currency := v_product.currency;
    insert into purchase (package_name, purchase_id, product_id, order_id, buyer_id, purchase_time, developer_payload, price,
      currency, recorded_by, recorded_from, recorded_request_id)
    values (p_package_name, v_request.purchase_id, v_request.product_id, v_request.order_id, v_request.buyer_id,
      v_request.purchase_time, v_request.payload, price, v_product.currency, v_request.made_by,
      v_request.client_address, v_request.request_id)
    on conflict do nothing;
    if not found then continue; end if;
    v_inserted := v_inserted || v_request.nth;
    return next;
  end loop;
  if cardinality(v_inserted) = 0 then return; end if;
  update app_counter c set event_order = c.event_order + cardinality(v_inserted)
  where c.package_name = p_package_name returning c.event_order - cardinality(v_inserted) into v_last_order;
  insert into event (package_name, event_order, type, event_time, purchase_id, product_id, made_by, request_id)
  select p_package_name, v_last_order + row_number() over (order by r.nth), 'purchase.completed', r.event_time,
    r.purchase_id, r.product_id, r.made_by, r.request_id
  from unnest(p_purchase_ids, p_product_ids, p_event_times, p_made_by, p_request_ids) with ordinality
    as r (purchase_id, product_id, event_time, made_by, request_id, nth)
  where r.nth = any(v_inserted);
end $$;
