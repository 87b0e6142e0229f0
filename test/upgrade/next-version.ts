// A version that follows this checkout, with one migration of each kind that docs/decisions/database.md allows.

import { readFile } from 'node:fs/promises';
import { buildNextVersion } from '../support/built-programs.ts';

const baseline = new URL('../../packages/server/src/store/migrations/0001_baseline.sql', import.meta.url);

/** Made in the former version, which does not use it. */
export const unusedColumnSql = 'alter table product add column shelf text';

const byPrice = 'purchase_by_price on purchase (package_name, price)';

/** Made by hand, before the update. */
export const indexByHandSql = `create index concurrently if not exists ${byPrice}`;

/** The text of a function in the baseline, under the name of its next version. */
async function nextFunction(former: string, name: string): Promise<string> {
  const text = await readFile(baseline, 'utf8');
  const found = new RegExp(`^create function ${former}\\([\\s\\S]*?^end \\$\\$;$`, 'm').exec(text)?.[0];
  if (found === undefined) throw new Error(`The baseline has no ${former}.`);
  return found.replace(former, name);
}

async function migrationsOfNextVersion(): Promise<Readonly<Record<string, string>>> {
  return {
    '9001_column': 'alter table purchase add column is_gift boolean not null default false;',
    '9002_index': `create index if not exists ${byPrice};`,
    '9003_function': await nextFunction('consume_purchases_v1', 'consume_purchases_v2'),
    '9004_unused_column': 'alter table product drop column if exists shelf;',
    '9005_table':
      'create table gift (package_name text collate "C", gift_id text, primary key (package_name, gift_id));',
  };
}

export async function buildUpgrade() {
  const migrations = await migrationsOfNextVersion();
  return await buildNextVersion(migrations, { consume_purchases_v1: 'consume_purchases_v2' });
}
