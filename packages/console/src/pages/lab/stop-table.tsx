// The next stops as a table, with the numbers of the track, and as CSV.

import { Button, Collapse, Group, Stack } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { UpcomingStops } from '@opentill/client/operator';
import { csvOf } from '../../parts/csv.ts';
import { Id } from '../../parts/id.tsx';
import { Instant, timeTitle } from '../../parts/instant.tsx';
import { Records } from '../../parts/records.tsx';
import { stopText } from '../../pictures/clock-track.tsx';
import { download } from '../../runtime/download.ts';

export function StopTable({ stops }: Pick<UpcomingStops, 'stops'>) {
  const [isOpen, { toggle }] = useDisclosure();
  if (stops.length === 0) return null;
  const save = (): void => {
    const rows = stops.map(({ time, kind, count, id }) => [time, kind, count, id]);
    download('next-stops.csv', 'text/csv', csvOf([['time', 'kind', 'count', 'id'], ...rows]));
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
          columns={[
            { title: timeTitle('app'), cell: ({ time }) => <Instant ms={time} /> },
            { title: 'Due', cell: (stop) => stopText([stop]) },
            { title: 'First id', cell: ({ id }) => <Id value={id} what="id" wraps /> },
          ]}
        />
      </Collapse>
    </Stack>
  );
}
