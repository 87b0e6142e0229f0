// The errors of a rejected change at the fields that they concern.

import { OpenTillError } from '@opentill/client/operator';
import { createContext, useContext } from 'react';

type FieldErrorTexts = Readonly<Record<string, string>>;

const Errors = createContext<FieldErrorTexts>({});

export const FieldErrors = Errors.Provider;

/** By the name of the field: the last part of the JSON pointer. */
export function fieldErrorsOf(error: unknown): FieldErrorTexts {
  const entries = error instanceof OpenTillError ? (error.problem?.errors ?? []) : [];
  return Object.fromEntries(entries.map(({ path, message }) => [path.split('/').at(-1) ?? path, message]));
}

export function useFieldError(name: string): string | undefined {
  return useContext(Errors)[name];
}
