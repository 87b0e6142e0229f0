// An id as text that does not break the direction of its line, with a button that copies it.

import { ActionIcon, CopyButton, Group, Text } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { PageLink, type PageTarget } from '../parts/page-link.tsx';

interface IdProps {
  readonly value: string;
  readonly what: string;
  /** Lets a long id, such as a package name, wrap. */
  readonly wraps?: boolean;
  /** The page of the record. */
  readonly link?: PageTarget | undefined;
}

export function Id({ value, what, wraps = false, link }: IdProps) {
  return (
    <Group gap="xxs" wrap="nowrap" style={{ minWidth: 0 }}>
      <Text
        span
        ff="monospace"
        size="xs"
        c="dimmed"
        style={wraps ? { overflowWrap: 'anywhere' } : { whiteSpace: 'nowrap' }}
      >
        {link === undefined ? (
          <bdi>{value}</bdi>
        ) : (
          <PageLink {...link} inherit>
            <bdi>{value}</bdi>
          </PageLink>
        )}
      </Text>
      <CopyButton value={value}>
        {({ copied, copy }) => (
          <ActionIcon
            data-copy
            variant="subtle"
            color="gray"
            size={24}
            onClick={copy}
            title={copied ? 'Copied' : `Copy ${what}`}
            aria-label={`Copy ${what} ${value}`}
          >
            {copied ? <IconCheck size={16} /> : <IconCopy size={16} />}
          </ActionIcon>
        )}
      </CopyButton>
    </Group>
  );
}
