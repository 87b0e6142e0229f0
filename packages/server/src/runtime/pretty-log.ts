// Log lines for a person at a terminal: the time, the request or message, and the remaining fields.

import { prettyFactory } from 'pino-pretty';

/** Fields that the text of a line contains. */
const shownFields = [
  'time',
  'level',
  'operationId',
  'app',
  'by',
  'address',
  'outcome',
  'status',
  'ms',
  'requestId',
  'migrations',
];

const warnLevel = 40;
const errorLevel = 50;
const firstClientError = 400;
const firstServerError = 500;

const timeLength = 'hh:mm:ss'.length;

interface LoggedLine {
  readonly time: number;
  readonly level: number;
  readonly msg?: string;
  readonly operationId?: string;
  readonly app?: string | null;
  readonly outcome?: string;
  readonly status?: number;
  readonly ms?: number;
}

type Color = 'red' | 'yellow' | 'green' | 'gray';
type Paint = (color: Color, text: string) => string;

/** Formats each line for `target`. */
export function prettyLines(
  target: { write(text: string): unknown },
  { hasColors }: { readonly hasColors: boolean },
): { write(line: string): void } {
  const format = prettyFactory({
    colorize: hasColors,
    customColors: 'message:reset',
    singleLine: true,
    ignore: shownFields.join(','),
    messageFormat: (line, _key, _label, { colors }) =>
      textOf(line as unknown as LoggedLine, (color, text) => colors[color](text)),
  });
  return { write: (line) => void target.write(format(line)) };
}

function textOf(line: LoggedLine, paint: Paint): string {
  const time = new Date(line.time).toTimeString().slice(0, timeLength);
  const text = line.status === undefined ? messageOf(line, paint) : requestOf(line, line.status, paint);
  return `${paint('gray', time)} ${text}`;
}

function messageOf({ level, msg = '', operationId, app }: LoggedLine, paint: Paint): string {
  const about = [operationId, app].filter((part) => typeof part === 'string').map(printable);
  const text = [msg, ...about].join(' ');
  if (level >= errorLevel) return paint('red', `ERROR ${text}`);
  return level >= warnLevel ? paint('yellow', `WARN ${text}`) : text;
}

function requestOf(
  { operationId = '', app, outcome = '', ms = 0 }: LoggedLine,
  status: number,
  paint: Paint,
) {
  const color = status >= firstServerError ? 'red' : status >= firstClientError ? 'yellow' : 'green';
  const result = outcome === 'success' || outcome === String(status) ? `${status}` : `${status} ${outcome}`;
  const parts = [operationId, app == null ? '' : printable(app), paint(color, result)];
  return `${parts.filter((part) => part !== '').join(' ')} ${paint('gray', `${Number(ms.toPrecision(2))} ms`)}`;
}

/** A request's path can contain characters that a terminal would act on. */
function printable(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, '\ufffd');
}
