// What each setting is, in a line of --help; docs/settings.md says it at length.

import type { SettingName } from '@opentill/server/settings.ts';

export const settingMeanings: Readonly<Record<SettingName, string>> = {
  OPENTILL_ENVIRONMENT: 'sandbox or production',
  OPENTILL_HOST: 'address of the public listener',
  OPENTILL_PORT: 'port of the public listener; 0 takes a free one',
  OPENTILL_OPERATOR_HOST: 'address of the operator listener',
  OPENTILL_OPERATOR_PORT: 'port of the operator listener; 0 takes a free one',
  DATABASE_URL: 'a PostgreSQL, instead of the bundled one; it may hold a password, so prefer the variable',
  OPENTILL_POOL_SIZE: 'connections to the database at most',
  OPENTILL_DATA_DIR: 'the data folder',
  OPENTILL_OPERATOR_KEY: 'an operator key; other accounts see arguments, so prefer the variable',
  OPENTILL_OPERATOR_KEYS: 'more operator keys, as name:role:key; prefer the variable',
  OPENTILL_TOKEN_KEYS: 'what signs tokens, as id:secret; prefer the variable',
  OPENTILL_TOKEN_LIFETIME: 'seconds that a new token lives',
  OPENTILL_TLS_CERT: 'file of the TLS certificate',
  OPENTILL_TLS_KEY: 'file of its key',
  OPENTILL_BEHIND_TLS_PROXY: 'whether a proxy in front speaks TLS',
  OPENTILL_REQUIRE_CONTENT_TYPE: 'whether purchase calls need a Content-Type',
  OPENTILL_RATE_LIMIT: 'calls a second for each app',
  OPENTILL_TIME_ZONE: 'by whose calendar the months of new subscriptions are counted',
  OPENTILL_PAYMENT_GATEWAY_URL: "where a month's charge is posted, in production",
  OPENTILL_PAYMENT_GATEWAY_SECRET: 'the key that signs those posts; prefer the variable',
  OPENTILL_WEBHOOK_ALLOW: 'addresses that are not public and may receive webhooks: 10.1.0.0/16,fd00::/8',
  OPENTILL_RETENTION_DAYS: 'days for which events and logs are kept; by default 180 in production, else 30',
  OPENTILL_DEMO: 'whether to make the demo app at the first start, in the sandbox',
  OPENTILL_LOG_FORMAT: 'json or pretty; by default pretty on a terminal, otherwise json',
  OPENTILL_LOG_LEVEL: 'trace, debug, info, warn, error, fatal or silent',
};
