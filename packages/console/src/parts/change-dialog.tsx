// The dialog of a change: its effects, the reason, and one button that names the action and the id. On an error, the
// typed values stay. Fields of the change itself are children; their `form` gets the errors of the server by their names.

import { Button, Group, List, Stack, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, type KeyboardEvent, type ReactNode, useState } from 'react';
import { Dialog } from './dialog.tsx';
import { fieldErrorsOf } from './field-errors.ts';
import { Problem } from './problem.tsx';
import { emptyReason, type GivenReason, ReasonFields, reasonOf } from './reason-fields.tsx';

interface ChangeFormProps<Result> {
  /** The action and the id: Void SANDBOX1. */
  readonly confirmLabel: string;
  readonly isDestructive?: boolean;
  /** What will happen, in whole sentences. */
  readonly effects?: readonly ReactNode[];
  /** What the form asks for in addition to its children. */
  readonly asks?: 'reason' | 'ticket';
  /** Disables the confirm button, for example while the effects are loading. */
  readonly isBlocked?: boolean;
  readonly change: (reason: GivenReason) => Promise<Result>;
  /** Close the dialog here, and read back what was changed. */
  readonly onDone: (result: Result) => void;
  /** After a failed change, for example to load the effects again. */
  readonly onError?: (error: unknown) => void;
  readonly onClose: () => void;
  /** The form of the children. */
  readonly form?: {
    readonly setErrors: (errors: Readonly<Record<string, string>>) => void;
    readonly clearErrors: () => void;
  };
  readonly children?: ReactNode;
}

interface ChangeDialogProps<Result> extends ChangeFormProps<Result> {
  readonly title: string;
  readonly isOpen: boolean;
}

export function ChangeDialog<Result>({ title, isOpen, ...props }: ChangeDialogProps<Result>) {
  const [isPending, setPending] = useState(false);
  const close = isPending ? () => undefined : props.onClose;
  return (
    <Dialog title={title} isOpen={isOpen} onClose={close}>
      <ChangeForm {...props} onClose={close} onPending={setPending} />
    </Dialog>
  );
}

function ChangeForm<Result>({
  confirmLabel,
  isDestructive = false,
  effects = [],
  asks,
  isBlocked = false,
  change,
  onDone,
  onError,
  onClose,
  onPending,
  form,
  children,
}: ChangeFormProps<Result> & { readonly onPending: (isPending: boolean) => void }) {
  const reason = useForm({ initialValues: emptyReason });
  const forms = form === undefined ? [reason] : [reason, form];
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => change(reasonOf(reason.values)),
    onMutate() {
      onPending(true);
      for (const { clearErrors } of forms) clearErrors();
    },
    onSettled: () => onPending(false),
    onSuccess: onDone,
    onError(failure) {
      for (const { setErrors } of forms) setErrors(fieldErrorsOf(failure));
      onError?.(failure);
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (!isPending && !isBlocked) mutate();
  };
  return (
    <form onSubmit={submit} onKeyDown={submitWithControl}>
      <Stack gap="md">
        {effects.length > 0 && <Effects effects={effects} />}
        {children}
        {asks !== undefined && <ReasonFields asks={asks} form={reason} />}
        {error !== null && <Problem error={error} />}
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onClose} disabled={isPending}>
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
            <bdi>{confirmLabel}</bdi>
          </Button>
        </Group>
      </Stack>
    </form>
  );
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
