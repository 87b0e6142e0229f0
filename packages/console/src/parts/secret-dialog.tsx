// A secret that the server returns once. Keep it in the state of the component that shows it, and nowhere else: a call
// that resolves to it would leave it in the cache of mutations.

import { Button, Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { CopiedCode } from './copied-code.tsx';
import { Dialog } from './dialog.tsx';

export interface ShownSecret {
  /** Such as "client secret". */
  readonly what: string;
  readonly value: string;
  /** What happens to the previous secret. */
  readonly note?: ReactNode;
}

interface SecretDialogProps {
  readonly secret: ShownSecret | undefined;
  readonly onDone: () => void;
}

/** Closes only by its button, since Escape would lose the secret. */
export function SecretDialog({ secret, onDone }: SecretDialogProps) {
  return (
    <Dialog title={`The new ${secret?.what ?? 'secret'}`} isOpen={secret !== undefined}>
      <Text size="sm">It is shown only now. Copy it to where it is needed before you close this.</Text>
      {secret !== undefined && <CopiedCode code={secret.value} what={secret.what} />}
      {secret?.note !== undefined && <Text size="sm">{secret.note}</Text>}
      <Group justify="flex-end">
        <Button onClick={onDone}>I have copied it</Button>
      </Group>
    </Dialog>
  );
}
