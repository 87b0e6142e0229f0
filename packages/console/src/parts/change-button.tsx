// A button that opens the dialog of a change: its effects, its fields, the reason, and one button that names the action and
// the product. On an error, the typed values stay. What the page shows is read again when the dialog opens, and after the change.

import { Button, Group, List, Stack, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useDisclosure } from '@mantine/hooks';
import { OpenTillError } from '@opentill/client/operator';
import { withoutSurroundings } from '@opentill/contract/pasted-text.ts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, type KeyboardEvent, type ReactNode, useRef, useState } from 'react';
import { readAgain } from '../api/session.ts';
import { CopiedCode } from '../values/copied-code.tsx';
import { ActionButton, type ActionButtonProps } from './action-button.tsx';
import { FormContext, ReasonFields, type Values } from './change-fields.tsx';
import { Dialog } from './dialog.tsx';
import { Problem } from './problem.tsx';
import type { GivenReason } from './reason.tsx';

/** A secret that the server returns once. */
export interface ShownSecret {
  /** Such as "client secret". */
  readonly what: string;
  readonly value: string;
  /** The effect on the previous secret. */
  readonly note?: ReactNode;
}

interface Change<Result> {
  /** The action and what it is about: Void 100 coins. */
  readonly confirmLabel: string | ((values: Values) => string);
  /** It ends or removes something for good. */
  readonly isDestructive?: boolean;
  /** The effects, in whole sentences. */
  readonly effects?: readonly ReactNode[] | ((values: Values) => readonly ReactNode[]);
  /** The fields of the form in addition to its own. */
  readonly asks?: 'reason' | 'ticket';
  /** The names of the fields with their first values. */
  readonly initialValues?: Values;
  /** Disables the confirm button, for example while the effects are loading. */
  readonly isBlocked?: (values: Values) => boolean;
  /** A secret is passed on, because a result is stored in the cache of mutations. */
  readonly change: (
    values: Values,
    reason: GivenReason,
    showSecret: (secret: ShownSecret) => void,
  ) => Promise<Result>;
  /** The fields. */
  readonly children?: ReactNode;
}

interface ChangeButtonProps<Result>
  extends Change<Result>,
    Pick<ActionButtonProps, 'operation' | 'label' | 'hotkey' | 'obstacle' | 'isInMenu' | 'variant' | 'size'> {
  readonly disabled?: boolean;
  readonly title: string;
  readonly ariaLabel?: string | undefined;
  /** Without the button, a dialog that is open stays: another tab may have made the change. */
  readonly isOffered?: boolean;
  /** The dialog is closed, and a secret was seen. */
  readonly onDone?: (result: Result) => void;
}

export function ChangeButton<Result>(props: ChangeButtonProps<Result>) {
  const { title, isOffered = true, onDone, variant = 'default', size = 'xs', ariaLabel, ...change } = props;
  const { operation, label, hotkey, obstacle, disabled = false, isDestructive, isInMenu } = props;
  const queryClient = useQueryClient();
  const [isOpen, { open, close }] = useDisclosure();
  const [isPending, setPending] = useState(false);
  const [shown, setShown] = useState<{ readonly secret: ShownSecret; readonly result: Result }>();
  const finish = (result: Result): void => {
    close();
    onDone?.(result);
  };
  return (
    <>
      {isOffered && (
        <ActionButton
          {...{ operation, label, hotkey, obstacle, disabled, isDestructive, isInMenu, variant, size }}
          aria-label={ariaLabel}
          onAct={() => {
            open();
            void readAgain(queryClient);
          }}
        />
      )}
      <Dialog
        title={shown === undefined ? title : `The new ${shown.secret.what}`}
        isOpen={isOpen}
        // A secret closes only by its button, since Escape would lose it.
        onClose={shown === undefined ? (isPending ? () => undefined : close) : undefined}
        onClosed={() => setShown(undefined)}
      >
        {shown === undefined ? (
          <ChangeForm
            {...change}
            onPending={setPending}
            onClose={close}
            onDone={(result, secret) =>
              secret === undefined ? finish(result) : setShown({ secret, result })
            }
          />
        ) : (
          <Secret {...shown.secret} onSeen={() => finish(shown.result)} />
        )}
      </Dialog>
    </>
  );
}

interface ChangeFormProps<Result> extends Change<Result> {
  readonly onPending: (isPending: boolean) => void;
  readonly onClose: () => void;
  readonly onDone: (result: Result, secret: ShownSecret | undefined) => void;
}

function ChangeForm<Result>(props: ChangeFormProps<Result>) {
  const { confirmLabel, isDestructive = false, asks, children, onPending, onDone } = props;
  const form = useForm<Values>({
    initialValues: { reasonCode: '', note: '', ticket: '', ...props.initialValues },
  });
  const values = trimmed(form.values);
  const isBlocked = props.isBlocked?.(values) === true;
  const effects = typeof props.effects === 'function' ? props.effects(values) : (props.effects ?? []);
  const secret = useRef<ShownSecret>(undefined);
  const { mutate, isPending, error } = useMutation({
    mutationFn: () =>
      props.change(values, reasonOf(values), (shown) => {
        secret.current = shown;
      }),
    onMutate() {
      onPending(true);
      form.clearErrors();
    },
    onSettled: () => onPending(false),
    onSuccess: (result) => onDone(result, secret.current),
    onError: (failure) => form.setErrors(fieldErrorsOf(failure)),
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (!isPending && !isBlocked) mutate();
  };
  return (
    <form onSubmit={submit} onKeyDown={submitWithControl}>
      <Stack gap="md">
        {effects.length > 0 && <Effects effects={effects} />}
        <FormContext value={form}>
          {children}
          {asks !== undefined && <ReasonFields asks={asks} />}
        </FormContext>
        {error !== null && <Problem error={error} />}
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={props.onClose} disabled={isPending}>
            Back
          </Button>
          <Button
            type="submit"
            loading={isPending}
            disabled={isBlocked}
            {...(isDestructive && { color: 'bad' })}
            h="auto"
            mih={36}
            py={6}
            styles={{ label: { lineHeight: 1.4, whiteSpace: 'normal', overflowWrap: 'anywhere' } }}
          >
            <bdi>{typeof confirmLabel === 'string' ? confirmLabel : confirmLabel(values)}</bdi>
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function trimmed(values: Values): Values {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, withoutSurroundings(value)]),
  );
}

/** Omits empty fields, which the API rejects. */
function reasonOf({ reasonCode, note, ticket }: Values): GivenReason {
  const given = Object.entries({ reasonCode, note, ticket }).filter(([, value]) => value !== '');
  return Object.fromEntries(given);
}

/** The errors of a rejected change by the name of the field: the last part of the JSON pointer. */
function fieldErrorsOf(error: unknown): Values {
  const entries = error instanceof OpenTillError ? (error.problem?.errors ?? []) : [];
  return Object.fromEntries(entries.map(({ path, message }) => [path.split('/').at(-1) ?? path, message]));
}

function Effects({ effects }: { readonly effects: readonly ReactNode[] }) {
  return (
    <div>
      <Text size="sm" fw={500}>
        What will happen
      </Text>
      <List size="sm">
        {effects.map((effect, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the effects have no other identity
          <List.Item key={index}>{effect}</List.Item>
        ))}
      </List>
    </div>
  );
}

/** In a text area, Enter starts a new line. */
function submitWithControl(event: KeyboardEvent<HTMLFormElement>): void {
  if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
  event.preventDefault();
  event.currentTarget.requestSubmit();
}

function Secret({ what, value, note, onSeen }: ShownSecret & { readonly onSeen: () => void }) {
  return (
    <>
      <Text size="sm">It is shown only now. Copy it to where it is needed before you close this.</Text>
      <CopiedCode code={value} what={what} />
      {note !== undefined && <Text size="sm">{note}</Text>}
      <Group justify="flex-end">
        <Button onClick={onSeen}>I have copied it</Button>
      </Group>
    </>
  );
}
