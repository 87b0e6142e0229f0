// A field of a change, with the error of the server at it. `name` is that of the field in the body of the call.

import { TextInput, type TextInputProps } from '@mantine/core';
import { useFieldError } from './field-errors.ts';

interface ChangeFieldProps extends Omit<TextInputProps, 'onChange' | 'value'> {
  readonly name: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

export function ChangeField({ name, onChange, ...props }: ChangeFieldProps) {
  return (
    <TextInput
      {...props}
      name={name}
      autoComplete="off"
      error={useFieldError(name)}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
