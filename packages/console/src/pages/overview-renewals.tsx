// Whether renewals run, and what is due.

import { Stack, Text } from '@mantine/core';
import type { Renewals } from '@opentill/client/operator';
import { useQueries, useQuery } from '@tanstack/react-query';
import { renewalsQuery } from '../api/overview.ts';
import { Instant } from '../parts/instant.tsx';
import { LongText } from '../parts/long-text.tsx';
import { joinedState, Panel, type PanelState } from '../parts/panel.tsx';
import { Records } from '../parts/records.tsx';

interface RenewalsPanelProps {
  readonly apps: PanelState;
  readonly packageNames: readonly string[];
  readonly note: string | undefined;
}

export function RenewalsPanel({ apps, packageNames, note }: RenewalsPanelProps) {
  const store = useQuery(renewalsQuery());
  const ofApps = useQueries({ queries: packageNames.map((packageName) => renewalsQuery(packageName)) });
  const pauses = [store, ...ofApps].flatMap(({ data }) => (data === undefined ? [] : ownPauses(data)));
  return (
    <Panel title="Renewals" note={note} state={joinedState([apps, store, ...ofApps])}>
      <Stack gap="sm">
        {store.data?.hold !== undefined && (
          <Text size="sm">Renewals are held. {store.data.hold.message}</Text>
        )}
        {pauses.length > 0 && (
          <Records
            label="Pauses"
            rows={pauses}
            keyOf={({ of }) => of}
            columns={[
              { title: 'Paused', cell: ({ of }) => <LongText text={of} /> },
              { title: 'Since', cell: ({ since }) => <Instant ms={since} /> },
              { title: 'By', cell: ({ madeBy = '-' }) => <bdi>{madeBy}</bdi> },
              { title: 'Reason', cell: ({ reason = '-' }) => <LongText text={reason} /> },
            ]}
          />
        )}
        {store.data !== undefined && <Text size="sm">{summaryOf(store.data, pauses.length > 0)}</Text>}
      </Stack>
    </Panel>
  );
}

/** An app also lists the pause of the whole store. */
function ownPauses({ packageName, pauses }: Renewals) {
  return pauses
    .filter(({ scope }) => packageName === undefined || scope !== 'store')
    .map(({ scope, ...pause }) => ({
      ...pause,
      of:
        packageName === undefined ? 'All apps' : `${packageName}${scope === 'disabled' ? ' (disabled)' : ''}`,
    }));
}

function summaryOf({ due, openAttempts, unresolvedAttempts, hold }: Renewals, isPaused: boolean): string {
  const counts = `${due} due, ${openAttempts} charges without a clear response, ${unresolvedAttempts} to settle by hand.`;
  return isPaused || hold !== undefined ? counts : `Nothing is paused: ${counts}`;
}
