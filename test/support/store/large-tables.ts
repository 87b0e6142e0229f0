// The tables that have millions of rows, and which of them a migration changes.

const largeTables = [
  ...['purchase', 'subscription', 'renewal_attempt', 'event', 'webhook_delivery', 'operator_action'],
  ...['statistic_day', 'request_log'],
];

/** What locks a table against calls: its definition, its indexes, and changes of its rows. */
const change =
  /\b(?:alter table|drop table|truncate(?: table)?|update|insert into|delete from|lock table|create (?:unique )?index(?: if not exists)? \w+ on)(?: if exists| only)* (\w+)/g;

/** Each index begins with the name of its table. */
const dropOfIndex = /\bdrop index(?: if exists)? (\w+)/g;

/** The large tables that a migration changes itself; what its functions do is done by calls. */
export function changedLargeTables(sql: string): string[] {
  const code = sql
    .toLowerCase()
    .replaceAll(/--.*/g, '')
    .replaceAll(/(\bdo\s+)?\$(\w*)\$([\s\S]*?)\$\2\$/g, (_, isDo, _tag, body) => (isDo ? body : ''))
    .replaceAll(/\s+/g, ' ');
  const changed = [...code.matchAll(change)].map(([, table = '']) => table);
  const indexes = [...code.matchAll(dropOfIndex)].map(([, index = '']) => index);
  return largeTables.filter(
    (table) => changed.includes(table) || indexes.some((index) => index.startsWith(`${table}_`)),
  );
}
