// An id as text that does not break the direction of its line, with a button that copies it.

import { ActionIcon, Code, CopyButton, Group } from '@mantine/core';
import { CheckIcon, CopyIcon } from './icons.tsx';
import { PageLink } from './page-link.tsx';

interface IdProps {
  readonly value: string;
  readonly what: string;
  /** For a long id, such as a package name. */
  readonly wraps?: boolean;
  /** The page of the record, below /console. */
  readonly path?: string | undefined;
}

export function Id({ value, what, wraps = false, path }: IdProps) {
  return (
    <Group gap={4} wrap="nowrap" style={{ minWidth: 0 }}>
      <Code
        style={{ overflow: 'visible', ...(wraps ? { overflowWrap: 'anywhere' } : { whiteSpace: 'nowrap' }) }}
      >
        {path === undefined ? (
          <bdi>{value}</bdi>
        ) : (
          <PageLink path={path} inherit>
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
            {copied ? <CheckIcon /> : <CopyIcon />}
          </ActionIcon>
        )}
      </CopyButton>
    </Group>
  );
}
