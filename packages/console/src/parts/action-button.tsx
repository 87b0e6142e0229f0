// A button that makes a call, or opens the dialog that does: disabled with the reason if the role does not allow the
// operation. `<ActionButton operation="voidPurchase" label="Void" hotkey="v" onAct={open} />`

import { Button, type ButtonProps, Kbd, Text } from '@mantine/core';
import type { OperationId } from '../api/client.ts';
import { useObstacle } from '../api/session.ts';
import { useKeys } from './keys.ts';

export interface ActionButtonProps extends ButtonProps {
  readonly operation: OperationId;
  readonly label: string;
  /** Opens a dialog: a single key changes something in the sandbox lab only. */
  readonly hotkey?: string | undefined;
  /** It ends or removes something: its text is red, and the button of its dialog is filled. */
  readonly isDestructive?: boolean | undefined;
  readonly onAct: () => void;
}

export function ActionButton({
  operation,
  label,
  hotkey,
  isDestructive = false,
  onAct,
  ...props
}: ActionButtonProps) {
  const obstacle = useObstacle(operation);
  const isAllowed = obstacle === undefined;
  const isOffered = isAllowed && props.disabled !== true;
  useKeys(isOffered && hotkey !== undefined ? { [hotkey]: onAct } : {});
  // An empty section would still take room.
  const hasAside = !isAllowed || (isOffered && hotkey !== undefined);
  return (
    <Button
      {...(isDestructive && { variant: 'default', ...(props.disabled !== true && { c: 'bad' }) })}
      {...props}
      {...(!isAllowed && { 'data-disabled': true, 'aria-disabled': true, 'aria-description': obstacle })}
      onClick={isAllowed ? onAct : undefined}
      rightSection={hasAside && <Aside hotkey={hotkey} obstacle={obstacle} />}
    >
      {label}
    </Button>
  );
}

interface AsideProps {
  readonly hotkey: string | undefined;
  readonly obstacle: string | undefined;
}

function Aside({ hotkey, obstacle }: AsideProps) {
  if (obstacle !== undefined) {
    return (
      <Text span size="xs" aria-hidden="true">
        {obstacle}
      </Text>
    );
  }
  return hotkey !== undefined && <Kbd size="xs">{hotkey === 'space' ? 'Space' : hotkey}</Kbd>;
}
