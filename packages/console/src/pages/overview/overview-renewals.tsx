// Whether renewals run, what is due, and the buttons that pause and resume them.

import { Alert, Group, Stack, Text } from '@mantine/core';
import type { Renewals } from '@opentill/client/operator';
import { useQueries, useQuery } from '@tanstack/react-query';
import { lazyRouteComponent } from '@tanstack/react-router';
import { Suspense } from 'react';
import { renewalsQuery } from '../../api/overview.ts';
import { Instant } from '../../parts/instant.tsx';
import { LongText } from '../../parts/long-text.tsx';
import { linkTo, PageLink } from '../../parts/page-link.tsx';
import { joinedState, Panel, type PanelState } from '../../parts/panel.tsx';
import { Records } from '../../parts/records.tsx';
import { renewalsSummary } from '../renewals/renewals-summary.ts';

/** Loaded later than the page, with the dialogs that it opens. */
const RenewalsSwitch = lazyRouteComponent(() => import('../renewals/renewals-switch.tsx'), 'RenewalsSwitch');

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
          <Alert color="waiting" title="Renewals are held">
            {store.data.hold.message}
          </Alert>
        )}
        {store.data?.paused === true && (
          <Alert color="waiting" title="Renewals of all apps are paused">
            Nobody is charged, and no subscription expires.
          </Alert>
        )}
        {pauses.length > 0 && (
          <Records
            label="Pauses"
            rows={pauses}
            keyOf={({ of }) => of}
            columns={[
              {
                title: 'Paused',
                cell: ({ packageName, of }) => <Paused packageName={packageName} text={of} />,
              },
              { title: 'Since', cell: ({ since }) => <Instant ms={since} /> },
              { title: 'By', cell: ({ madeBy = '-' }) => <bdi>{madeBy}</bdi> },
              { title: 'Reason', cell: ({ reason = '-' }) => <LongText text={reason} /> },
            ]}
          />
        )}
        {store.data !== undefined && (
          <>
            <Text size="sm">{renewalsSummary(store.data, pauses.length > 0)}</Text>
            <Group gap="xs" mih={36}>
              <Suspense>
                <RenewalsSwitch renewals={store.data} />
              </Suspense>
            </Group>
          </>
        )}
      </Stack>
    </Panel>
  );
}

function Paused({ packageName, text }: { readonly packageName: string | undefined; readonly text: string }) {
  if (packageName === undefined) return text;
  return (
    <PageLink {...linkTo.app(packageName, 'settings')} inherit>
      <LongText text={text} />
    </PageLink>
  );
}

/** An app also lists the pause of the whole store. */
function ownPauses({ packageName, pauses }: Renewals) {
  return pauses
    .filter(({ scope }) => packageName === undefined || scope !== 'store')
    .map(({ scope, ...pause }) => ({
      ...pause,
      packageName,
      of:
        packageName === undefined ? 'All apps' : `${packageName}${scope === 'disabled' ? ' (disabled)' : ''}`,
    }));
}
