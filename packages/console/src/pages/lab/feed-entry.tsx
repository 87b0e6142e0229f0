// An entry of a live column: a line that opens its details.

import { Box, Button, Collapse, Group, Stack, Text, UnstyledButton } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconChevronDown } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { TimeFormatContext } from '../../parts/instant.tsx';

interface FeedEntryProps {
  readonly title: ReactNode;
  readonly time: ReactNode;
  readonly badges: ReactNode;
  readonly children: ReactNode;
}

export function FeedEntry({ title, time, badges, children }: FeedEntryProps) {
  const [isOpen, { toggle }] = useDisclosure();
  return (
    <Box
      component="li"
      py={6}
      style={{ borderBottom: '1px solid var(--mantine-color-default-border)', listStyle: 'none' }}
    >
      <UnstyledButton w="100%" aria-expanded={isOpen} onClick={toggle}>
        <Group gap="xs" wrap="nowrap" align="flex-start">
          <Group gap="xs" justify="space-between" flex={1} miw={0} style={{ rowGap: 0 }}>
            <Text size="sm" fw={500} style={{ overflowWrap: 'anywhere' }}>
              {title}
            </Text>
            <Group gap={4}>{badges}</Group>
          </Group>
          <IconChevronDown size={16} style={{ flexShrink: 0 }} />
        </Group>
        <Text size="xs" c="dimmed">
          {time}
        </Text>
      </UnstyledButton>
      <Collapse expanded={isOpen}>
        {isOpen && (
          <Stack gap="xs" pt="xs">
            {children}
          </Stack>
        )}
      </Collapse>
    </Box>
  );
}

/** Entries that are shown at first, and that are added each time. */
export const feedStep = 50;

/** Calls follow each other within seconds. */
const look = { hasZone: false, hasSeconds: true } as const;

interface FeedProps {
  readonly label: string;
  readonly children: ReactNode;
  /** Shows older entries; absent if there are none. */
  readonly onOlder?: (() => void) | undefined;
}

export function Feed({ label, children, onOlder }: FeedProps) {
  return (
    <TimeFormatContext value={look}>
      <Box component="ul" aria-label={label} p={0} m={0}>
        {children}
      </Box>
      {onOlder !== undefined && (
        <Button size="compact-xs" variant="default" onClick={onOlder}>
          Older
        </Button>
      )}
    </TimeFormatContext>
  );
}
