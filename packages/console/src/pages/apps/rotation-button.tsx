// Creates a new secret in place of one, and shows it once with the end of the previous one.

import { Checkbox } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import type { OperationId } from '../../api/client.ts';
import { ChangeButton } from '../../parts/change-button.tsx';
import { Choice } from '../../parts/change-fields.tsx';
import { Instant } from '../../values/instant.tsx';

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

interface Rotated {
  readonly secret: string;
  /** undefined if the previous secret has ended. */
  readonly previousUntil: number | undefined;
}

interface RotationButtonProps {
  readonly operation: OperationId;
  /** Such as "client secret". */
  readonly what: string;
  readonly packageName: string;
  readonly effects: readonly ReactNode[];
  readonly rotate: (rotation: Rotation) => Promise<Rotated>;
}

export function RotationButton({ operation, what, packageName, effects, rotate }: RotationButtonProps) {
  const [force, setForce] = useState(false);
  return (
    <ChangeButton
      operation={operation}
      label={`Rotate the ${what}`}
      title={`Rotate the ${what}`}
      confirmLabel={`Rotate for ${packageName}`}
      effects={effects}
      initialValues={{ keepFor: '86400' }}
      change={async ({ keepFor }, _reason, showSecret) => {
        const { secret, previousUntil } = await rotate({ keepPreviousForSeconds: Number(keepFor), force });
        setForce(false);
        showSecret({ what, value: secret, note: <PreviousEnd time={previousUntil} /> });
      }}
    >
      <Choice name="keepFor" label="How long the present secret stays valid" choices={keepChoices} />
      <Checkbox
        label="Rotate anyway, even if the secret before the present one is still valid: it ends now"
        checked={force}
        onChange={(event) => setForce(event.currentTarget.checked)}
      />
    </ChangeButton>
  );
}

function PreviousEnd({ time }: { readonly time: number | undefined }) {
  if (time === undefined) return 'The previous secret is no longer valid.';
  return (
    <>
      The previous secret is valid until <Instant ms={time} clock="real" />.
    </>
  );
}
