// An entry of a live column, and JSON in its details.

import { Box, Code, Collapse, Group, Stack, Text, UnstyledButton } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconChevronDown } from '@tabler/icons-react';
import type { ReactNode } from 'react';

interface FeedEntryProps {
  readonly title: ReactNode;
  readonly time: ReactNode;
  readonly badges: ReactNode;
  readonly children: ReactNode;
}

/** A line that opens its details. */
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

export function JsonText({ value }: { readonly value: unknown }) {
  return (
    <Code
      block
      tabIndex={0}
      style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere', maxHeight: '20rem', overflow: 'auto' }}
    >
      {JSON.stringify(value, null, 2)}
    </Code>
  );
}
