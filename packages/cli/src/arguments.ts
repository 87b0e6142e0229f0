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

/** A date, or a date and time, without a zone: it is in that of the store, which only the server knows. */
export class WallTime {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

const writtenTime = /^(\d{4}-\d\d-\d\d)(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(Z|[+-]\d\d:\d\d)?)?$/;

/** Ms since 1970, an instant in ISO 8601, or a time in the zone of the store. */
export function instant(text: string): number | WallTime {
  if (/^[0-9]{13}$/.test(text)) return Number(text);
  const [, day, zone] = writtenTime.exec(text) ?? [];
  const value = Date.parse(day === undefined || zone !== undefined || text === day ? text : `${text}Z`);
  // 31 February would be a day of March.
  const isDay = day !== undefined && new Date(`${day}T00:00Z`).getUTCDate() === Number(day.slice(-2));
  if (!isDay || Number.isNaN(value)) {
    throw new InvalidArgumentError(
      'Expected ms since 1970 (13 digits), an instant such as 2026-03-15T12:00:00Z, or a time without Z or offset, in the time zone of the store.',
    );
  }
  return zone === undefined ? new WallTime(text) : value;
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
