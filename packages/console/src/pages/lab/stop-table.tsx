// The next stops as a table, with the numbers of the track, and as CSV.

import { Button, Collapse, Group, Stack } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { UpcomingStops } from '@opentill/client/operator';
import { Id } from '../../parts/id.tsx';
import { type Column, csvOfRecords, Records } from '../../parts/records.tsx';
import { stopText } from '../../pictures/clock-track.tsx';
import { download } from '../../runtime/download.ts';

const columns: readonly Column<UpcomingStops['stops'][number]>[] = [
  { title: 'Time', clock: 'app', name: 'time', time: ({ time }) => time },
  { title: 'Due', name: 'kind', cell: (stop) => stopText([stop]) },
  'count',
  { title: 'First id', name: 'id', cell: ({ id }) => <Id value={id} what="id" wraps /> },
];

export function StopTable({ stops }: Pick<UpcomingStops, 'stops'>) {
  const [isOpen, { toggle }] = useDisclosure();
  if (stops.length === 0) return null;
  const save = (): void => {
    download('next-stops.csv', 'text/csv', csvOfRecords(columns, stops));
  };
  return (
    <Stack gap="xs">
      <Group gap="xs">
        <Button size="compact-xs" variant="default" aria-expanded={isOpen} onClick={toggle}>
          {isOpen ? 'Hide the table' : 'Show as table'}
        </Button>
        <Button size="compact-xs" variant="default" onClick={save}>
          CSV
        </Button>
      </Group>
      <Collapse expanded={isOpen}>
        <Records
          label="Next stops"
          rows={stops}
          keyOf={({ time, kind }) => `${time} ${kind}`}
          columns={columns}
        />
      </Collapse>
    </Stack>
  );
}
