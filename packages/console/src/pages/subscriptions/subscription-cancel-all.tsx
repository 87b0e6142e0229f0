// Cancels the auto-payment of all subscriptions of an app or of one product, repeating the call until nothing is left. It
// can be stopped between two calls.

import { Button, Group, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { remainingMax } from '@opentill/contract/limits.ts';
import { useRef, useState } from 'react';
import { client } from '../../api/client.ts';
import { ChangeDialog } from '../../parts/change-dialog.tsx';
import type { GivenReason } from '../../parts/reason-fields.tsx';

interface CancelAllProps {
  readonly packageName: string;
  /** Empty: all products. */
  readonly productId: string;
  readonly isOpen: boolean;
  /** Gets what was done, in words. */
  readonly onDone: (text: string) => void;
  readonly onClose: () => void;
}

interface Progress {
  readonly cancelled: number;
  readonly remaining: number;
}

const effects = [
  'Auto-payment ends for each subscription that has it on. Access lasts until the end of the paid month.',
  'A subscription with an outstanding payment ends at once.',
  'The developer gets an event for each. Subscriptions can only be reactivated one by one.',
];

export function CancelAll({ isOpen, onDone, onClose, ...scope }: CancelAllProps) {
  const form = useForm({ initialValues: { ...scope, typedAgain: '' } });
  const { packageName, productId, typedAgain } = form.values;
  const [progress, setProgress] = useState<Progress>();
  const isStopped = useRef(false);
  const what = productId === '' ? `all subscriptions of ${packageName}` : `${productId} of ${packageName}`;
  const cancelAll = async (reason: GivenReason): Promise<Progress> => {
    isStopped.current = false;
    let cancelled = progress?.cancelled ?? 0;
    for (;;) {
      const product = productId === '' ? undefined : productId;
      const answer = await client.cancelSubscriptions({ packageName, productId: product, ...reason });
      cancelled += answer.cancelled;
      const { remaining } = answer;
      setProgress({ cancelled, remaining });
      if (remaining === 0 || isStopped.current) return { cancelled, remaining };
    }
  };
  return (
    <ChangeDialog
      title="Cancel all subscriptions of an app"
      confirmLabel={`Cancel ${what}`}
      isDestructive
      isOpen={isOpen}
      asks="reason"
      form={form}
      isBlocked={packageName === '' || typedAgain !== packageName}
      effects={effects}
      change={cancelAll}
      onDone={(result) => {
        setProgress(undefined);
        form.setFieldValue('typedAgain', '');
        onDone(doneText(what, result));
      }}
      onClose={onClose}
    >
      <TextInput
        name="packageName"
        label="App"
        autoComplete="off"
        required
        data-autofocus
        {...form.getInputProps('packageName')}
      />
      <TextInput
        name="productId"
        label="Product (empty: all products)"
        autoComplete="off"
        {...form.getInputProps('productId')}
      />
      <TextInput
        name="typedAgain"
        label="Type the package name again"
        autoComplete="off"
        required
        {...form.getInputProps('typedAgain')}
      />
      {progress !== undefined && (
        <ProgressLine
          text={doneText(what, progress)}
          onStop={() => {
            isStopped.current = true;
          }}
        />
      )}
    </ChangeDialog>
  );
}

function ProgressLine({ text, onStop }: { readonly text: string; readonly onStop: () => void }) {
  return (
    <Group justify="space-between">
      <Text size="sm" role="status">
        {text}
      </Text>
      <Button size="xs" variant="default" onClick={onStop}>
        Stop after this call
      </Button>
    </Group>
  );
}

function doneText(what: string, { cancelled, remaining }: Progress): string {
  const left =
    remaining === 0
      ? 'none has auto-payment on any more'
      : `${remaining >= remainingMax ? `at least ${remaining}` : remaining} still have auto-payment on`;
  return `Cancelled ${cancelled} of ${what}: ${left}.`;
}
