// The settings of an app: its name, whether it is enabled, and its renewals.

import { Group, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useDisclosure } from '@mantine/hooks';
import type { App } from '@opentill/client/operator';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { appQuery } from '../../api/app.ts';
import { client } from '../../api/client.ts';
import { renewalsQuery } from '../../api/overview.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { ChangeDialog } from '../../parts/change-dialog.tsx';
import { LongText } from '../../parts/long-text.tsx';
import { PageLink } from '../../parts/page-link.tsx';
import { Panel } from '../../parts/panel.tsx';
import { renewalsSummary } from '../renewals/renewals-summary.ts';
import { RenewalsSwitch } from '../renewals/renewals-switch.tsx';

export function AppSettings() {
  const { packageName } = useParams({ from: '/frame/apps/$packageName' });
  const app = useQuery(appQuery(packageName));
  const renewals = useQuery(renewalsQuery(packageName));
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

/** Reads back what a change of the app may have changed. */
function useReadBack(packageName: string): () => void {
  const queryClient = useQueryClient();
  return () => {
    for (const queryKey of [['app', packageName], ['apps'], ['renewals']]) {
      void queryClient.invalidateQueries({ queryKey });
    }
  };
}

function NameSetting({ app: { packageName, name } }: { readonly app: App }) {
  const [isOpen, { open, close }] = useDisclosure();
  const readBack = useReadBack(packageName);
  return (
    <Stack gap="sm" align="flex-start">
      <Text size="sm">{name === undefined ? 'The app has no name.' : <LongText text={name} />}</Text>
      <ActionButton operation="updateApp" label="Rename" variant="default" onAct={open} />
      {isOpen && (
        <NameDialog
          packageName={packageName}
          name={name ?? ''}
          onDone={() => {
            close();
            readBack();
          }}
          onClose={close}
        />
      )}
    </Stack>
  );
}

interface NameDialogProps {
  readonly packageName: string;
  readonly name: string;
  readonly onDone: () => void;
  readonly onClose: () => void;
}

function NameDialog({ packageName, name: present, onDone, onClose }: NameDialogProps) {
  const form = useForm({ initialValues: { name: present } });
  const name = form.values.name.trim();
  return (
    <ChangeDialog
      title="Rename the app"
      confirmLabel={`Rename ${packageName}`}
      isOpen
      form={form}
      change={() => client.updateApp({ packageName, name: name === '' ? null : name })}
      onDone={onDone}
      onClose={onClose}
    >
      <TextInput
        name="name"
        label="Name"
        description="Empty: the app has no name."
        autoComplete="off"
        data-autofocus
        {...form.getInputProps('name')}
      />
    </ChangeDialog>
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
  const [isOpen, { open, close }] = useDisclosure();
  const readBack = useReadBack(packageName);
  const act = disabled ? 'Enable' : 'Disable';
  return (
    <Stack gap="sm" align="flex-start">
      <Text size="sm">{disabled ? 'The app is disabled.' : 'The app is enabled.'}</Text>
      <ActionButton operation="updateApp" label={`${act} the app`} variant="default" onAct={open} />
      <ChangeDialog
        title={`${act} the app`}
        confirmLabel={`${act} ${packageName}`}
        isOpen={isOpen}
        asks="reason"
        effects={disabled ? enableEffects : disableEffects}
        change={(reason) => client.updateApp({ packageName, disabled: !disabled, ...reason })}
        onDone={() => {
          close();
          readBack();
        }}
        onClose={close}
      />
    </Stack>
  );
}
