// Events by the thousand, as test events are: of no purchase, so that none of them waits for another.

import { query } from '../embedded/scratch.ts';
import { type TestApp, type TestServer, testNow } from '../harness.ts';

export async function writeEvents(
  { connection }: Pick<TestServer, 'connection'>,
  { packageName }: Pick<TestApp, 'packageName'>,
  count: number,
): Promise<void> {
  await query(
    connection,
    `with counted as (
       update app_counter set event_order = event_order + ${count} where package_name = '${packageName}'
       returning event_order - ${count} as before)
     insert into event (package_name, event_order, type, event_time, made_by, request_id)
     select '${packageName}', before + n, 'test', ${testNow}, 'operator:admin', 'r'
     from counted, generate_series(1, ${count}) n`,
  );
}
