// Reads CSV as RFC 4180 defines it.

/** The cells of each row. */
export function csvRowsOf(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  for (const [, quoted, plain = '', end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n|$)/g)) {
    row.push(quoted?.replaceAll('""', '"') ?? plain);
    if (end === ',') continue;
    if (end === '\r\n') rows.push(row);
    else if (row.join('') !== '') throw new Error(`The last row has no end: ${row}`);
    row = [];
  }
  return rows;
}
