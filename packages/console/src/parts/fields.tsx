// The fields of one record, each with its title.

import { Box, SimpleGrid, Text } from '@mantine/core';
import type { ReactNode } from 'react';

interface FieldsProps {
  /** The values by title; a field without a value is left out. */
  readonly fields: Readonly<Record<string, ReactNode>>;
  /** One below the other, in a side column. */
  readonly isNarrow?: boolean;
}

export function Fields({ fields, isNarrow = false }: FieldsProps) {
  const given = Object.entries(fields).filter(([, value]) => Boolean(value));
  return (
    <SimpleGrid
      component="dl"
      cols={isNarrow ? 1 : { base: 1, sm: 2, lg: 4 }}
      spacing="sm"
      verticalSpacing="sm"
      m={0}
    >
      {given.map(([title, value]) => (
        <div key={title}>
          <Text component="dt" size="xs" c="dimmed">
            {title}
          </Text>
          <Box component="dd" m={0} fz="sm" style={{ overflowWrap: 'anywhere' }}>
            {value}
          </Box>
        </div>
      ))}
    </SimpleGrid>
  );
}
