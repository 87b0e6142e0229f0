// The reads per second that PostgreSQL's own load generator reaches.

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { ClientConfig } from 'pg';
import { databaseUrlOf } from '../test/support/database-url.ts';

/** As many as a server has. */
const clients = 10;
const threads = 2;
/** Reads of one app in a run of the script, which first forms the app's name. */
const readsPerRun = 20;

const run = promisify(execFile);

/** Reads single purchases `read-<n>` with prepared statements, spread as those of `readRequests` over the apps. */
export async function pgbenchReads(
  connection: ClientConfig,
  load: { readonly names: readonly string[]; readonly readable: number; readonly seconds: number },
): Promise<number> {
  const { names, readable, seconds } = load;
  const prefix = (names[0] ?? '').replace(/0$/u, '');
  const read = `\\set n :app + ${names.length} * random(0, ${readable / names.length - 1})
select product_id, purchase_time, developer_payload, consumed_time, voided_time from purchase where package_name = :name and purchase_id = 'read-' || :n;`;
  const script = `\\set app random(0, ${names.length - 1})
select '${prefix}' || :app as name \\gset
${`${read}\n`.repeat(readsPerRun)}`;
  const pgbench = run('pgbench', [
    ...['--no-vacuum', '--protocol=prepared', `--client=${clients}`, `--jobs=${threads}`],
    ...[`--time=${seconds}`, '--file=-', databaseUrlOf(connection)],
  ]);
  pgbench.child.stdin?.end(script);
  return Number(/^tps = ([\d.]+)/mu.exec((await pgbench).stdout)?.[1]) * readsPerRun;
}
