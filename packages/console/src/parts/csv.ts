// A table as CSV (RFC 4180) that is safe to open in a spreadsheet.

export type CsvCell = string | number | undefined;

/** A spreadsheet would run a text that starts like this as a formula. */
const formulaStart = /^[=+\-@\t\r]/;

export function csvOf(rows: readonly (readonly CsvCell[])[]): string {
  return rows.map((row) => `${row.map(cellOf).join(',')}\r\n`).join('');
}

function cellOf(cell: CsvCell): string {
  if (typeof cell === 'number') return String(cell);
  const text = (cell ?? '').replace(formulaStart, "'$&");
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
