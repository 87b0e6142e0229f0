// How values are read from a connection.

import { types } from 'pg';

// The driver returns bigint as text; all values of the store are far below 2^53.
const int8Oid = 20;

function readInt8(value: string): number {
  const number = Number(value);
  if (!Number.isSafeInteger(number)) throw new Error(`A bigint of the database is out of range: ${value}`);
  return number;
}

export const getTypeParser = ((oid: number, format?: 'text' | 'binary') =>
  oid === int8Oid && format !== 'binary'
    ? readInt8
    : types.getTypeParser(oid, format as 'text')) as typeof types.getTypeParser;
