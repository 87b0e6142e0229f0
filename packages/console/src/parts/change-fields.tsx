// The fields of a change (change-button.tsx), which get their values and the errors of the server by their names.

import { NativeSelect, SegmentedControl, Textarea, TextInput, type TextInputProps } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { createContext, type ReactNode, use } from 'react';
import { useMoneyText, usePriceUnit } from '../values/money.tsx';
import { priceInput, typedPrice } from '../values/money-text.ts';
import { reasonNames } from './reason.tsx';

/** The values of the fields by their names, without outer spaces. */
export type Values = Readonly<Record<string, string>>;

export const FormContext = createContext<UseFormReturnType<Values> | undefined>(undefined);

function useField(name: string) {
  const form = use(FormContext);
  if (form === undefined) throw new Error('There is no form around this field.');
  return { name, ...form.getInputProps(name) };
}

export function Field({ name, ...props }: TextInputProps & { readonly name: string }) {
  return <TextInput autoComplete="off" {...props} {...useField(name)} />;
}

interface AmountFieldProps {
  readonly name: string;
  readonly label: string;
  readonly currency: string;
}

/** A text field with the amount that it means: nothing turns the number by accident. */
export function AmountField({ name, label, currency }: AmountFieldProps) {
  const unit = usePriceUnit();
  const money = useMoneyText();
  const { value } = useField(name);
  const isCurrency = /^[A-Z]{3}$/.test(currency);
  const price = typedPrice(value.trim(), currency, unit);
  const amount = isCurrency && price !== undefined ? money({ price, currency }) : undefined;
  const example = isCurrency
    ? `Such as ${priceInput({ price: 1299, currency }, unit)}.`
    : 'Choose the currency first.';
  return (
    <Field
      name={name}
      label={label}
      inputMode="decimal"
      description={amount === undefined ? example : `Saved as ${amount}.`}
      required
    />
  );
}

/** In the currency of the field before it. */
export function PriceField() {
  const { value } = useField('currency');
  return <AmountField name="price" label="Price" currency={value.trim()} />;
}

interface ChoiceProps extends Pick<TextInputProps, 'label' | 'description' | 'disabled' | 'required'> {
  readonly name: string;
  /** The labels of the values. */
  readonly choices: Readonly<Record<string, string>>;
}

export function Choice({ name, choices, ...props }: ChoiceProps) {
  return <NativeSelect {...props} data={optionsOf(choices)} {...useField(name)} />;
}

interface SegmentsProps extends Pick<ChoiceProps, 'name' | 'choices'> {
  readonly label: string;
  /** The fields of a choice, which are shown while it is chosen. */
  readonly fields: Readonly<Record<string, ReactNode>>;
}

/** A choice whose few values are all shown. */
export function Segments({ name, label, choices, fields }: SegmentsProps) {
  const { value, onChange } = useField(name);
  return (
    <>
      <SegmentedControl aria-label={label} data={optionsOf(choices)} value={value} onChange={onChange} />
      {fields[value]}
    </>
  );
}

export function optionsOf(choices: Readonly<Record<string, string>>) {
  return Object.entries(choices).map(([value, label]) => ({ value, label }));
}

/** Why a change is made: a code of the closed list of the API, a note and a ticket. */
export function ReasonFields({ asks }: { readonly asks: 'reason' | 'ticket' }) {
  return (
    <>
      {asks === 'reason' && <ReasonAndNote />}
      <Field label="Ticket" name="ticket" />
    </>
  );
}

function ReasonAndNote() {
  const reason = useField('reasonCode');
  const choices = { '': 'Choose a reason', ...reasonNames, other: `${reasonNames.other} (needs a note)` };
  return (
    <>
      <NativeSelect label="Reason" required data-autofocus data={optionsOf(choices)} {...reason} />
      <Textarea label="Note" rows={3} required={reason.value === 'other'} {...useField('note')} />
    </>
  );
}
