// Parses the arguments of a command line.

import { withoutSurroundings } from '@opentill/contract/pasted-text.ts';
import { InvalidArgumentError } from 'commander';

export function wholeNumber(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = /^[0-9]{1,15}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= min && value <= max) return value;
    throw new InvalidArgumentError(`Expected a whole number from ${min} to ${max}.`);
  };
}

export function numberFrom(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = /^[0-9]+(?:\.[0-9]+)?$/.test(text) ? Number(text) : Number.NaN;
    if (value >= min && value <= max) return value;
    throw new InvalidArgumentError(`Expected a number from ${min} to ${max}.`);
  };
}

/** Ms since 1970 or an ISO 8601 instant, in UTC unless it has a zone. */
export function instant(text: string): number {
  if (/^[0-9]{13}$/.test(text)) return Number(text);
  const isDate = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(?:Z|[+-]\d\d:\d\d)?)?$/.test(text);
  const hasZone = /T.*(?:Z|[+-]\d\d:\d\d)$/.test(text) || !text.includes('T');
  const value = isDate ? Date.parse(hasZone ? text : `${text}Z`) : Number.NaN;
  if (Number.isNaN(value)) {
    throw new InvalidArgumentError(
      'Expected ms since 1970 (13 digits), or an instant such as 2026-03-15T12:00:00Z.',
    );
  }
  return value;
}

export function oneOf<Choice extends string>(...choices: readonly Choice[]): (text: string) => Choice {
  return (text) => {
    const choice = choices.find((candidate) => candidate === text);
    if (choice !== undefined) return choice;
    throw new InvalidArgumentError(`Expected ${choices.join(' or ')}.`);
  };
}

/** Collects the ids of a repeated option. */
export function collectedIds(text: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), withoutSurroundings(text)];
}
