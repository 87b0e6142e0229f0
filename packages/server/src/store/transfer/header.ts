// The first and the last line of an export, which identify it and show that it is complete.

import { Environment } from '@opentill/contract/fields.ts';
import { patternText } from '@opentill/contract/patterns.ts';
import Type, { type Static } from 'typebox';
import { Compile } from 'typebox/compile';
import { StartProblem } from '../../runtime/start-problem.ts';

/** Incremented with each change that an older version could not read completely. */
export const formatVersion = 2;

const Header = Type.Object(
  {
    kind: Type.Literal('opentill'),
    format: Type.Integer({ minimum: 1 }),
    environment: Environment,
    /** 16 bytes in hexadecimal; without it, tokens of the exported apps become invalid with the import. */
    installationId: Type.Optional(patternText('^[0-9a-f]{32}$', '32 hexadecimal digits in lower case')),
  },
  { additionalProperties: false },
);
export type Header = Omit<Static<typeof Header>, 'kind' | 'format'>;

const End = Type.Object(
  {
    kind: Type.Literal('end'),
    /** The number of lines between the first and the last. */
    lines: Type.Optional(Type.Integer({ minimum: 0 })),
  },
  { additionalProperties: false },
);
export type End = Static<typeof End>;

const header = Compile(Header);
const end = Compile(End);

export function headerLine({ environment, installationId }: Header): string {
  return `${JSON.stringify({ kind: 'opentill', format: formatVersion, environment, installationId })}\n`;
}

export function endLine(lines: number): string {
  return `${JSON.stringify({ kind: 'end', lines })}\n`;
}

/** @throws StartProblem for anything other than an export of a known format. */
export function requireHeader(object: unknown): Header {
  if (!header.Check(object)) {
    throw new StartProblem(
      'This is not an OpenTill export: expected a first line such as {"kind":"opentill","format":2,"environment":"sandbox"}.',
    );
  }
  const { format } = object;
  if (format !== formatVersion) {
    const cure =
      format > formatVersion ? 'import it with a newer OpenTill' : 'import it with the build that wrote it';
    throw new StartProblem(`Expected an export of format ${formatVersion}, got format ${format}: ${cure}.`);
  }
  return object;
}

export function isEnd(object: unknown): object is End {
  return end.Check(object);
}
