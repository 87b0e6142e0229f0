// The next stops as a table, with the numbers of the track, and as CSV.

import { Button, Group } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { UpcomingStops } from '@opentill/client/operator';
import { Dialog } from '../../parts/dialog.tsx';
import { type Column, csvOfRecords, Records } from '../../parts/records.tsx';
import { stopText } from '../../pictures/stop-kinds.tsx';
import { download } from '../../runtime/download.ts';
import { StopObject } from './stop-object.tsx';

const columns: readonly Column<UpcomingStops['stops'][number]>[] = [
  { title: 'Time', clock: 'app', name: 'time', time: ({ time }) => time },
  { title: 'Due', name: 'kind', cell: (stop) => stopText([stop]) },
  'count',
  { title: 'First', name: 'id', cell: (stop) => <StopObject stop={stop} /> },
];

export function StopTable({ stops }: Pick<UpcomingStops, 'stops'>) {
  const [isOpen, { open, close }] = useDisclosure();
  const save = (): void => {
    download('next-stops.csv', 'text/csv', csvOfRecords(columns, stops));
  };
  return (
    <>
      <Button size="compact-sm" variant="default" disabled={stops.length === 0} onClick={open}>
        Table
      </Button>
      <Dialog title="Next stops" isOpen={isOpen} onClose={close}>
        <Group>
          <Button size="compact-xs" variant="default" onClick={save}>
            Save as CSV
          </Button>
        </Group>
        <Records
          label="Table of next stops"
          rows={stops}
          keyOf={({ time, kind }) => `${time} ${kind}`}
          columns={columns}
        />
      </Dialog>
    </>
  );
}
