// Creates a new secret in place of one, and shows it once with the end of the previous one.

import { Checkbox, NativeSelect } from '@mantine/core';
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
  const [keepFor, setKeepFor] = useState('86400');
  const [isConflict, setConflict] = useState(false);
  const [isForced, setForced] = useState(false);
  const [secret, setSecret] = useState<ShownSecret>();
  const close = (): void => {
    setConflict(false);
    setForced(false);
    onClose();
  };
  return (
    <>
      <ChangeDialog
        title={`Rotate the ${what}`}
        confirmLabel={`Rotate for ${packageName}`}
        isOpen={isOpen}
        effects={effects}
        isBlocked={isConflict && !isForced}
        change={async () => {
          const rotation = { keepPreviousForSeconds: Number(keepFor), force: isForced };
          setSecret({ what, ...(await rotate(rotation)) });
        }}
        onDone={close}
        onError={(error) => setConflict(hasStatus(error, 409))}
        onClose={close}
      >
        <NativeSelect
          label="How long the present secret stays valid"
          value={keepFor}
          data={Object.entries(keepChoices).map(([value, label]) => ({ value, label }))}
          onChange={(event) => setKeepFor(event.currentTarget.value)}
        />
        {isConflict && (
          <Checkbox
            label="Rotate anyway: the secret before the present one ends now"
            checked={isForced}
            onChange={(event) => setForced(event.currentTarget.checked)}
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
