// The settings of an app: its name, whether it is enabled, and its renewals.

import { Group, Stack, Text } from '@mantine/core';
import type { App } from '@opentill/client/operator';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { callQuery, client } from '../../api/client.ts';
import { ChangeButton } from '../../parts/change-button.tsx';
import { Field } from '../../parts/change-fields.tsx';
import { PageLink } from '../../parts/page-link.tsx';
import { Panel } from '../../parts/panel.tsx';
import { LongText } from '../../values/long-text.tsx';
import { RenewalsSwitch, renewalsSummary } from '../renewals-switch.tsx';

export function AppSettings() {
  const { packageName } = useParams({ from: '/frame/apps/$packageName' });
  const app = useQuery(callQuery('getApp', { packageName }));
  const renewals = useQuery(callQuery('getRenewals', { packageName }));
  return (
    <Stack gap="lg">
      {app.data !== undefined && (
        <>
          <Panel title="Name" state={app}>
            <NameSetting app={app.data} />
          </Panel>
          <Panel title="Access" state={app}>
            <AccessSetting app={app.data} />
          </Panel>
        </>
      )}
      <Panel title="Renewals" state={renewals}>
        {renewals.data !== undefined && (
          <Stack gap="sm">
            <Text size="sm">{renewalsSummary(renewals.data)}</Text>
            {renewals.data.pauses.some(({ scope }) => scope === 'store') && (
              <Text size="sm">
                The renewals of all apps are paused: resume them in the{' '}
                <PageLink to="/settings" underline="always">
                  settings of the store
                </PageLink>
                .
              </Text>
            )}
            <Group gap="xs">
              <RenewalsSwitch renewals={renewals.data} />
            </Group>
          </Stack>
        )}
      </Panel>
    </Stack>
  );
}

function NameSetting({ app: { packageName, name: present } }: { readonly app: App }) {
  return (
    <Stack gap="sm" align="flex-start">
      <Text size="sm">{present === undefined ? 'The app has no name.' : <LongText text={present} />}</Text>
      <ChangeButton
        operation="updateApp"
        label="Rename"
        title="Rename the app"
        confirmLabel={`Rename ${packageName}`}
        initialValues={{ name: present ?? '' }}
        change={({ name }) => client.updateApp({ packageName, name: name || null })}
      >
        <Field name="name" label="Name" description="Empty: the app has no name." data-autofocus />
      </ChangeButton>
    </Stack>
  );
}

const disableEffects = [
  'The app gets no access tokens, and its present tokens become invalid for good.',
  'No purchase is recorded, and no subscription is renewed or expires.',
  'Its webhook gets nothing until the app is enabled.',
];

const enableEffects = [
  'The backend can get access tokens again, with the same client secret.',
  'Purchases are recorded again, due renewals begin, and waiting deliveries are sent.',
];

function AccessSetting({ app: { packageName, disabled } }: { readonly app: App }) {
  const act = disabled ? 'Enable' : 'Disable';
  return (
    <Stack gap="sm" align="flex-start">
      <Text size="sm">{disabled ? 'The app is disabled.' : 'The app is enabled.'}</Text>
      <ChangeButton
        operation="updateApp"
        label={`${act} the app`}
        title={`${act} the app`}
        confirmLabel={`${act} ${packageName}`}
        asks="reason"
        effects={disabled ? enableEffects : disableEffects}
        change={(_values, reason) => client.updateApp({ packageName, disabled: !disabled, ...reason })}
      />
    </Stack>
  );
}
