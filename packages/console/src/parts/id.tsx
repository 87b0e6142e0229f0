// An id as text that does not break the direction of its line, with a button that copies it.

import { ActionIcon, Code, CopyButton, Group } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { PageLink, type PageTarget } from './page-link.tsx';

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
    <Group gap={4} wrap="nowrap" style={{ minWidth: 0 }}>
      <Code
        style={{ overflow: 'visible', ...(wraps ? { overflowWrap: 'anywhere' } : { whiteSpace: 'nowrap' }) }}
      >
        {link === undefined ? (
          <bdi>{value}</bdi>
        ) : (
          <PageLink {...link} inherit>
            <bdi>{value}</bdi>
          </PageLink>
        )}
      </Code>
      <CopyButton value={value}>
        {({ copied, copy }) => (
          <ActionIcon
            variant="subtle"
            color="gray"
            size="sm"
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
