// A list of records: a table where there is room, and a card for each record on a narrow screen.

import { Box, Card, Group, Stack, Table, Text } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import type { ReactNode } from 'react';

interface Column<Row> {
  readonly title: string;
  readonly cell: (row: Row) => ReactNode;
  readonly align?: 'right';
}

export interface RecordsProps<Row> {
  /** Names the table for screen readers. */
  readonly label: string;
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  readonly columns: readonly Column<Row>[];
}

/** Below the breakpoint at which the navigation becomes a drawer. */
const narrow = '(max-width: 48em)';

export function Records<Row>(props: RecordsProps<Row>) {
  const isNarrow = useMediaQuery(narrow, undefined, { getInitialValueInEffect: false });
  return isNarrow === true ? <Cards {...props} /> : <Rows {...props} />;
}

function Rows<Row>({ label, rows, keyOf, columns }: RecordsProps<Row>) {
  return (
    <Table.ScrollContainer minWidth={0} type="native">
      <Table aria-label={label} verticalSpacing={6} highlightOnHover>
        <Table.Thead>
          <Table.Tr>
            {columns.map(({ title, align }) => (
              <Table.Th key={title} ta={align ?? 'left'} style={{ whiteSpace: 'nowrap' }}>
                {title}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row) => (
            <Table.Tr key={keyOf(row)} data-record>
              {columns.map(({ title, cell, align }) => (
                <Table.Td key={title} ta={align ?? 'left'}>
                  {cell(row)}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

function Cards<Row>({ label, rows, keyOf, columns }: RecordsProps<Row>) {
  return (
    <Stack gap="xs" component="ul" aria-label={label} p={0} m={0} style={{ listStyle: 'none' }}>
      {rows.map((row) => (
        <Card key={keyOf(row)} data-record component="li" withBorder padding="sm" radius="sm">
          <Stack gap={4} component="dl" m={0}>
            {columns.map(({ title, cell }) => (
              <Group key={title} gap="sm" justify="space-between" wrap="nowrap" align="flex-start">
                <Text component="dt" size="sm" c="dimmed" maw="45%" style={{ flexShrink: 0 }}>
                  {title}
                </Text>
                <Box
                  component="dd"
                  m={0}
                  fz="sm"
                  ta="right"
                  style={{ minWidth: 0, overflowWrap: 'anywhere' }}
                >
                  {cell(row)}
                </Box>
              </Group>
            ))}
          </Stack>
        </Card>
      ))}
    </Stack>
  );
}
