// The apps of the store, and the dialog that creates one.

import { Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useDisclosure } from '@mantine/hooks';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { client } from '../../api/client.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { AppName } from '../../parts/app-name.tsx';
import { ChangeDialog } from '../../parts/change-dialog.tsx';
import { Empty } from '../../parts/empty.tsx';
import { LongText } from '../../parts/long-text.tsx';
import { PageHeading } from '../../parts/page-heading.tsx';
import { linkTo } from '../../parts/page-link.tsx';
import { PageList } from '../../parts/page-list.tsx';
import { SecretDialog, type ShownSecret } from '../../parts/secret-dialog.tsx';
import { appsFields } from './fields.ts';

export function AppsPage() {
  const search = useSearch({ from: '/frame/apps' });
  const [isCreating, { open, close }] = useDisclosure();
  return (
    <Stack gap="lg">
      <PageHeading
        title="Apps"
        actions={<ActionButton operation="createApp" label="Create an app" onAct={open} />}
      />
      <PageList
        label="Apps"
        fields={appsFields}
        search={search}
        queryKey={['apps', 'list']}
        load={async (page, signal) => {
          const { apps, nextPageToken } = await client.listApps(
            { containing: search.containing, ...page },
            { signal },
          );
          return { rows: apps, nextPageToken };
        }}
        keyOf={({ packageName }) => packageName}
        columns={[
          { title: 'App', name: 'packageName', cell: (app) => <AppName app={app} /> },
          'name',
          {
            title: 'Client id',
            name: 'clientId',
            isWide: true,
            cell: ({ clientId }) => <LongText text={clientId} />,
          },
          { name: 'disabled', value: ({ disabled }) => String(disabled) },
          {
            title: 'Created',
            clock: 'real',
            name: 'createdAt',
            time: ({ createdAt }) => createdAt,
          },
        ]}
        empty={
          <Empty
            text="There are no apps yet. This call creates one:"
            calls={[{ method: 'POST', path: '/apps', body: { packageName: 'com.example.game' } }]}
          />
        }
        fileName="apps"
      />
      <AppCreation isOpen={isCreating} onClose={close} />
    </Stack>
  );
}

function AppCreation({ isOpen, onClose }: { readonly isOpen: boolean; readonly onClose: () => void }) {
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const form = useForm({ initialValues: { packageName: '', name: '', clientId: '' } });
  const packageName = form.values.packageName.trim();
  const name = form.values.name.trim();
  const clientId = form.values.clientId.trim();
  const [secret, setSecret] = useState<ShownSecret>();
  const create = async (): Promise<void> => {
    const { clientSecret } = await client.createApp({
      packageName,
      ...(name !== '' && { name }),
      ...(clientId !== '' && { clientId }),
    });
    setSecret({ what: 'client secret', value: clientSecret });
  };
  const openApp = (): void => {
    setSecret(undefined);
    void queryClient.invalidateQueries({ queryKey: ['apps'] });
    void navigate(linkTo.app(packageName));
  };
  return (
    <>
      <ChangeDialog
        title="Create an app"
        confirmLabel={`Create ${packageName}`.trim()}
        form={form}
        isOpen={isOpen}
        isBlocked={packageName === ''}
        change={create}
        onDone={onClose}
        onClose={onClose}
      >
        <TextInput
          name="packageName"
          label="Package name"
          description="It never changes."
          placeholder="com.example.game"
          autoComplete="off"
          required
          data-autofocus
          {...form.getInputProps('packageName')}
        />
        <TextInput name="name" label="Name" autoComplete="off" {...form.getInputProps('name')} />
        <TextInput
          name="clientId"
          label="Client id"
          description="The package name, if it is empty."
          autoComplete="off"
          {...form.getInputProps('clientId')}
        />
      </ChangeDialog>
      <SecretDialog secret={secret} onDone={openApp} />
    </>
  );
}
