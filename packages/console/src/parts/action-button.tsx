// A button that makes a call, or opens the dialog that does: disabled with the reason if the role or the record does not
// allow the operation, and not offered to a role that may only read. `<ActionButton operation="voidPurchase" label="Void" hotkey="v" onAct={open} />`

import { ActionIcon, Button, type ButtonProps, Kbd, Menu, Text } from '@mantine/core';
import { IconDots } from '@tabler/icons-react';
import type { OperationId } from '../api/client.ts';
import { useIsReader, useObstacle } from '../api/session.ts';
import { useKeys } from './keys.ts';

export interface ActionButtonProps extends ButtonProps {
  readonly operation: OperationId;
  readonly label: string;
  /** Opens a dialog: a single key changes something in the sandbox lab only. */
  readonly hotkey?: string | undefined;
  /** Why it is disabled at present; the role comes first. */
  readonly obstacle?: string | undefined;
  /** What is rarely done is in a menu. */
  readonly isInMenu?: boolean | undefined;
  /** It ends or removes something: its text is red, and the button of its dialog is filled. */
  readonly isDestructive?: boolean | undefined;
  readonly onAct: () => void;
}

export function ActionButton({
  operation,
  label,
  hotkey,
  obstacle: present,
  isDestructive = false,
  isInMenu = false,
  onAct,
  ...props
}: ActionButtonProps) {
  const obstacle = useObstacle(operation) ?? present;
  const isReader = useIsReader();
  const isAllowed = obstacle === undefined;
  const isOffered = isAllowed && props.disabled !== true;
  useKeys(isOffered && hotkey !== undefined ? { [hotkey]: onAct } : {});
  if (isReader) return null;
  if (isInMenu) {
    return (
      <Menu position="bottom-end" withinPortal={false} withInitialFocusPlaceholder={false}>
        <Menu.Target>
          <ActionIcon variant="default" size={30} aria-label="More actions">
            <IconDots size={16} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item c="bad" disabled={!isAllowed} onClick={onAct} maw={320}>
            {label}
            {!isAllowed && (
              <Text span display="block" size="xs" c="dimmed">
                {obstacle}
              </Text>
            )}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    );
  }
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
