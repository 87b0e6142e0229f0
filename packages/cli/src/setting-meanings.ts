// Describes each setting in one line for --help; docs/settings.md has the details.

import type { SettingName } from '@opentill/server/settings.ts';

export const settingMeanings: Readonly<Record<SettingName, string>> = {
  OPENTILL_ENVIRONMENT: 'sandbox or production',
  OPENTILL_HOST: 'address of the public listener',
  OPENTILL_PORT: 'port of the public listener; 0 selects a free one',
  OPENTILL_OPERATOR_HOST: 'address of the operator listener',
  OPENTILL_OPERATOR_PORT: 'port of the operator listener; 0 selects a free one',
  OPENTILL_OPERATOR_HOSTS: 'names of the operator listener, in addition to localhost and IP addresses',
  OPENTILL_MAX_CONNECTIONS: 'maximum number of connections of each listener',
  OPENTILL_WORKERS: 'processes that serve requests',
  OPENTILL_JOBS: 'on; off: serve requests only, and neither charge nor deliver nor clean up',
  DATABASE_URL:
    'URL of a PostgreSQL database, instead of the bundled one; prefer the variable, because it may contain a password',
  DATABASE_URL_FILE: 'file with the URL of the database',
  OPENTILL_DATABASE_PLAINTEXT: 'whether the connection to a database on another machine may be unprotected',
  OPENTILL_POOL_SIZE: 'maximum number of database connections',
  OPENTILL_DATA_DIR: 'the data folder',
  OPENTILL_OPERATOR_KEY: 'an operator key; prefer the variable, because other accounts can see arguments',
  OPENTILL_OPERATOR_KEY_FILE: 'file with an operator key',
  OPENTILL_OPERATOR_KEYS: 'more operator keys, as name:role:key; prefer the variable',
  OPENTILL_OPERATOR_KEYS_FILE: 'file with more operator keys',
  OPENTILL_TOKEN_KEYS: 'keys that sign tokens, as id:secret; prefer the variable',
  OPENTILL_TOKEN_KEYS_FILE: 'file with the keys that sign tokens',
  OPENTILL_TOKEN_LIFETIME: 'lifetime of a new token in seconds',
  OPENTILL_TLS_CERT: 'file of the TLS certificate',
  OPENTILL_TLS_KEY: 'file of the TLS private key',
  OPENTILL_BEHIND_TLS_PROXY: 'whether a proxy terminates TLS',
  OPENTILL_TRUSTED_PROXIES: 'addresses of proxies on other machines: 10.1.0.7,10.2.0.0/16',
  OPENTILL_REQUIRE_CONTENT_TYPE: 'whether purchase calls need a Content-Type',
  OPENTILL_RATE_LIMIT: 'requests per second for each app',
  OPENTILL_TIME_ZONE: 'time zone of the months of new subscriptions',
  OPENTILL_PAYMENT_GATEWAY_URL: 'URL that receives the charge for each month, in production',
  OPENTILL_PAYMENT_GATEWAY_SECRET: 'key that signs charges; prefer the variable',
  OPENTILL_PAYMENT_GATEWAY_SECRET_FILE: 'file with the key that signs charges',
  OPENTILL_RENEWAL_GRACE_DAYS: 'days after its due time in which a charge may begin',
  OPENTILL_WEBHOOK_ALLOW: 'non-public addresses that may receive webhooks: 10.1.0.0/16,fd00::/8',
  OPENTILL_WEBHOOK_LOOPBACK:
    'true or false: whether webhooks may go to this machine, in the sandbox; by default true with the demo',
  OPENTILL_SANDBOX_PURCHASES_PER_APP: 'maximum number of purchases of an app, in the sandbox',
  OPENTILL_SANDBOX_TEST_WEBHOOKS_PER_MINUTE:
    'maximum number of test events per minute for each app, in the sandbox',
  OPENTILL_RETENTION_DAYS:
    'days for which events and logs are kept; by default 180 in production, 30 in the sandbox',
  OPENTILL_DEMO: 'whether to create the demo app at the first start, in the sandbox',
  OPENTILL_CONSOLE: 'whether the operator listener serves the console',
  OPENTILL_LOG_FORMAT: 'json or pretty; by default pretty on a terminal, otherwise json',
  OPENTILL_LOG_LEVEL: 'trace, debug, info, warn, error, fatal or silent',
};
