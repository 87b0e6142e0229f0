// An id as text that does not break the direction of its line, with a button that copies it.

import { Group, Text } from '@mantine/core';
import { PageLink, type PageTarget } from '../parts/page-link.tsx';
import { CopyIcon } from './copy-icon.tsx';

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
      <CopyIcon value={value} title={`Copy ${what}`} label={`Copy ${what} ${value}`} />
    </Group>
  );
}
