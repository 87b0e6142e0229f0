// A button that copies a value: a mark says that it was done.

import { ActionIcon, CopyButton } from '@mantine/core';
import { type Icon, IconCheck, IconCopy } from '@tabler/icons-react';

interface CopyIconProps {
  readonly value: string;
  /** The name of the copied value. */
  readonly title: string;
  /** For screen readers, with the value. */
  readonly label: string;
  readonly icon?: Icon;
}

export function CopyIcon({ value, title, label, icon: Icon = IconCopy }: CopyIconProps) {
  return (
    <CopyButton value={value}>
      {({ copied, copy }) => (
        <ActionIcon
          data-copy
          variant="subtle"
          color="gray"
          size={24}
          onClick={copy}
          title={copied ? 'Copied' : title}
          aria-label={label}
        >
          {copied ? <IconCheck size={16} /> : <Icon size={16} />}
        </ActionIcon>
      )}
    </CopyButton>
  );
}
