// Creates a new secret in place of one, and shows it once with the end of the previous one.

import { Checkbox, NativeSelect } from '@mantine/core';
import { useForm } from '@mantine/form';
import { type ReactNode, useState } from 'react';
import { hasStatus } from '../../api/client.ts';
import { ChangeDialog } from '../../parts/change-dialog.tsx';
import { SecretDialog, type ShownSecret } from '../../parts/secret-dialog.tsx';

const keepChoices = {
  '0': 'It ends now',
  '3600': 'One hour',
  '86400': 'One day',
  '604800': '7 days',
  '2592000': '30 days',
} as const;

interface Rotation {
  readonly keepPreviousForSeconds: number;
  readonly force: boolean;
}

interface RotationDialogProps {
  /** Such as "client secret". */
  readonly what: string;
  readonly packageName: string;
  readonly effects: readonly ReactNode[];
  readonly isOpen: boolean;
  /** Returns the new secret. */
  readonly rotate: (rotation: Rotation) => Promise<Pick<ShownSecret, 'value' | 'note'>>;
  readonly onClose: () => void;
  /** The secret was shown and is gone. */
  readonly onDone: () => void;
}

export function RotationDialog({
  what,
  packageName,
  effects,
  isOpen,
  rotate,
  onClose,
  onDone,
}: RotationDialogProps) {
  const form = useForm({ initialValues: { keepFor: '86400', force: false } });
  const [isConflict, setConflict] = useState(false);
  const [secret, setSecret] = useState<ShownSecret>();
  const close = (): void => {
    setConflict(false);
    form.setFieldValue('force', false);
    onClose();
  };
  return (
    <>
      <ChangeDialog
        title={`Rotate the ${what}`}
        confirmLabel={`Rotate for ${packageName}`}
        isOpen={isOpen}
        effects={effects}
        isBlocked={isConflict && !form.values.force}
        change={async () => {
          const rotation = { keepPreviousForSeconds: Number(form.values.keepFor), force: form.values.force };
          setSecret({ what, ...(await rotate(rotation)) });
        }}
        onDone={close}
        onError={(error) => setConflict(hasStatus(error, 409))}
        onClose={close}
      >
        <NativeSelect
          label="How long the present secret stays valid"
          data={Object.entries(keepChoices).map(([value, label]) => ({ value, label }))}
          {...form.getInputProps('keepFor')}
        />
        {isConflict && (
          <Checkbox
            label="Rotate anyway: the secret before the present one ends now"
            {...form.getInputProps('force', { type: 'checkbox' })}
          />
        )}
      </ChangeDialog>
      <SecretDialog
        secret={secret}
        onDone={() => {
          setSecret(undefined);
          onDone();
        }}
      />
    </>
  );
}
