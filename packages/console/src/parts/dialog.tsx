// A dialog above the page; closing it returns the focus. Mantine would make its header a second banner of the page.

import { Group, Modal, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { useHeldKeys } from './keys.ts';

interface DialogProps {
  readonly title: string;
  readonly isOpen: boolean;
  /** Without it, the dialog cannot be closed by hand. */
  readonly onClose?: (() => void) | undefined;
  /** After it has left the page. */
  readonly onClosed?: () => void;
  readonly children: ReactNode;
}

export function Dialog({ title, isOpen, onClose, onClosed, children }: DialogProps) {
  const isClosable = onClose !== undefined;
  useHeldKeys(isOpen);
  return (
    <Modal.Root
      opened={isOpen}
      onClose={onClose ?? (() => undefined)}
      closeOnEscape={isClosable}
      closeOnClickOutside={isClosable}
      size="lg"
      {...(onClosed !== undefined && { onExitTransitionEnd: onClosed })}
    >
      <Modal.Overlay />
      <Modal.Content>
        <Modal.Body p="lg">
          <Stack gap="md">
            <Group justify="space-between" wrap="nowrap" align="flex-start">
              <Modal.Title fz="h2" fw={600}>
                {title}
              </Modal.Title>
              {isClosable && <Modal.CloseButton aria-label="Close" />}
            </Group>
            {children}
          </Stack>
        </Modal.Body>
      </Modal.Content>
    </Modal.Root>
  );
}
