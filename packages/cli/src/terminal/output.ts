// Prints results as JSON or as a table; colors only on a terminal without NO_COLOR.

import { styleText } from 'node:util';
import type { CommandContext, Terminal } from '../command-context.ts';
import { printableValue } from './printable-text.ts';

/** Titles of columns, in order, each with the value of a row. */
export type Columns<Row> = Readonly<Record<string, (row: Row) => unknown>>;

/** An object whose lists are printed as tables. */
export interface ObjectWithLists {
  readonly fields: object;
  readonly lists: readonly {
    readonly name: string;
    readonly rows: readonly object[];
    readonly columns: Columns<object>;
  }[];
}

const jsonIndentation = 2;

type Color = Parameters<typeof styleText>[0];

/** Colors of the states that stand out. */
const colorOfWord: Readonly<Record<string, Color>> = {
  voided: 'red',
  failed: 'red',
  dead: 'red',
  terminated: 'red',
  disabled: 'red',
  warning: 'yellow',
  waiting: 'yellow',
  paymentOutstanding: 'yellow',
  ok: 'green',
  active: 'green',
  delivered: 'green',
};

/** Colors the text if the stream is a terminal that supports it. */
function styled(color: Color, text: string, stream: Terminal): string {
  return styleText(color, text, { stream });
}

export class Output {
  readonly #stdout: Terminal;
  readonly #stderr: Terminal;
  readonly isJson: boolean;

  constructor({ stdout, stderr }: CommandContext, { json = false }: { readonly json?: boolean | undefined }) {
    this.#stdout = stdout;
    this.#stderr = stderr;
    this.isJson = json;
  }

  /** Prints one object, field by field. */
  record(value: object): void {
    if (this.isJson) {
      this.#json(value);
      return;
    }
    const entries = Object.entries(value).filter(([, field]) => field !== undefined);
    const width = Math.max(0, ...entries.map(([field]) => field.length));
    for (const [field, fieldValue] of entries) {
      const title = styled('dim', field.padEnd(width), this.#stdout);
      this.line(`${title}  ${this.#cell(field, fieldValue)}`);
    }
  }

  /** Prints a table; JSON shows `rows` as they are. */
  async list<Row extends object>(rows: readonly Row[], columns: Columns<Row>): Promise<void> {
    if (this.isJson) {
      this.#json(rows);
      return;
    }
    if (rows.length === 0) {
      this.note('None.');
      return;
    }
    // Loaded on use, because --help must be fast.
    const { default: Table } = await import('cli-table3');
    const titles = Object.keys(columns);
    const table = new Table({
      head: titles.map((title) => styled('bold', title, this.#stdout)),
      chars: borderless,
      style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [] },
    });
    for (const row of rows) table.push(titles.map((title) => this.#cell(title, columns[title]?.(row))));
    for (const line of table.toString().split('\n')) this.line(line.trimEnd());
    const more = new Set(rows.flatMap(Object.keys).filter((field) => !titles.includes(field))).size;
    if (more > 0) this.note(`${more} more ${more === 1 ? 'field' : 'fields'}: --json`);
  }

  /** Prints an object and below it the tables of its lists, each with its name. */
  async recordWithLists({ fields, lists }: ObjectWithLists): Promise<void> {
    this.record(fields);
    for (const { name, rows, columns } of lists) {
      this.line('');
      this.line(styled('bold', rows.length === 0 ? `${name}: none` : `${name}:`, this.#stdout));
      if (rows.length > 0) await this.list(rows, columns);
    }
  }

  /** Prints one of many objects on its own line. */
  entry<Row extends object>(row: Row, columns: Columns<Row>): void {
    const cells = () => Object.entries(columns).map(([title, value]) => this.#cell(title, value(row)));
    this.line(this.isJson ? JSON.stringify(row) : cells().join('  '));
  }

  line(text: string): void {
    this.#stdout.write(`${text}\n`);
  }

  /** Prints a note to standard error. */
  note(text: string): void {
    this.#stderr.write(`${text}\n`);
  }

  #json(value: unknown): void {
    this.line(JSON.stringify(value, null, jsonIndentation));
  }

  #cell(title: string, value: unknown): string {
    const text = printableValue(title, value);
    const color = Object.hasOwn(colorOfWord, text) ? colorOfWord[text] : undefined;
    return color === undefined ? text : styled(color, text, this.#stdout);
  }
}

const borderless = {
  top: '',
  'top-mid': '',
  'top-left': '',
  'top-right': '',
  bottom: '',
  'bottom-mid': '',
  'bottom-left': '',
  'bottom-right': '',
  left: '',
  'left-mid': '',
  mid: '',
  'mid-mid': '',
  right: '',
  'right-mid': '',
  middle: '  ',
};
