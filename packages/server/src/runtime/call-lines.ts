// The lines of the log about calls, of which there are far more than others: pino walks over the fields of each line, so
// these have a serializer compiled for their fields, and are gathered until a block of them can be written.

import fastJsonStringify from 'fast-json-stringify';
import type { Logger } from 'pino';
import { systemClock } from './clock.ts';

/** The fields are named one by one, so that no header, body, token or secret can get in. */
interface CallLine {
  readonly requestId: string;
  readonly operationId: string;
  readonly app: string | null;
  readonly by: string | undefined;
  readonly address: string;
  readonly outcome: string;
  readonly status: number;
  readonly ms: number;
}

export type LogCall = (level: 'debug' | 'info', call: CallLine) => void;

const text = { type: 'string' } as const;
const integer = { type: 'integer' } as const;

const serialize = fastJsonStringify({
  type: 'object',
  properties: {
    level: integer,
    time: integer,
    requestId: text,
    operationId: text,
    app: { ...text, nullable: true },
    by: text,
    address: text,
    outcome: text,
    status: integer,
    ms: { type: 'number' },
  },
});

/** Writes lines in the form of `log`, as far as its level includes them. */
export function callLines(log: Logger, target: { write(line: string): unknown }): LogCall {
  return (level, call) => {
    if (!log.isLevelEnabled(level)) return;
    const line = { level: log.levels.values[level], time: systemClock.now(), ...call };
    target.write(`${serialize(line)}\n`);
  };
}
