// An id as text that does not break the direction of its line, with a button that copies it.

import { ActionIcon, Code, CopyButton, Group, Tooltip } from '@mantine/core';
import { CheckIcon, CopyIcon } from './icons.tsx';

interface IdProps {
  readonly value: string;
  readonly what: string;
  /** For a long id, such as a package name. */
  readonly wraps?: boolean;
}

export function Id({ value, what, wraps = false }: IdProps) {
  return (
    <Group gap={4} wrap="nowrap" style={{ minWidth: 0 }}>
      <Code
        style={{ overflow: 'visible', ...(wraps ? { overflowWrap: 'anywhere' } : { whiteSpace: 'nowrap' }) }}
      >
        <bdi>{value}</bdi>
      </Code>
      <CopyButton value={value}>
        {({ copied, copy }) => (
          <Tooltip label={copied ? 'Copied' : `Copy ${what}`}>
            <ActionIcon
              variant="subtle"
              color="gray"
              size="sm"
              onClick={copy}
              aria-label={`Copy ${what} ${value}`}
            >
              {copied ? <CheckIcon /> : <CopyIcon />}
            </ActionIcon>
          </Tooltip>
        )}
      </CopyButton>
    </Group>
  );
}
