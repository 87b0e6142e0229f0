// The errors of a rejected change at the fields that they concern.

import { OpenTillError } from '@opentill/client/operator';

/** By the name of the field: the last part of the JSON pointer. */
export function fieldErrorsOf(error: unknown): Readonly<Record<string, string>> {
  const entries = error instanceof OpenTillError ? (error.problem?.errors ?? []) : [];
  return Object.fromEntries(entries.map(({ path, message }) => [path.split('/').at(-1) ?? path, message]));
}
