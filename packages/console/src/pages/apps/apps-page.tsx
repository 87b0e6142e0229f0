// The apps of the store, and the dialog that creates one.

import { Stack } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { client } from '../../api/client.ts';
import { appsFields } from '../../filters/page-filters.ts';
import { ChangeButton } from '../../parts/change-button.tsx';
import { Field } from '../../parts/change-fields.tsx';
import { Empty } from '../../parts/empty.tsx';
import { PageHeading } from '../../parts/page-heading.tsx';
import { linkTo } from '../../parts/page-link.tsx';
import { PageList } from '../../parts/page-list.tsx';
import { AppName } from '../../values/app-name.tsx';
import { LongText } from '../../values/long-text.tsx';

export function AppsPage() {
  const search = useSearch({ from: '/frame/apps' });
  return (
    <Stack gap="lg">
      <PageHeading title="Apps" actions={<AppCreation />} />
      <PageList
        label="Apps"
        fields={appsFields}
        search={search}
        rows="apps"
        load={(client, page, options) =>
          client.listApps({ containing: search.containing, state: stateOf(search.state), ...page }, options)
        }
        keyOf={({ packageName }) => packageName}
        columns={[
          { title: 'App', cell: (app) => <AppName app={app} /> },
          {
            title: 'Client id',
            cell: ({ clientId }) => <LongText text={clientId} />,
          },
          { title: 'Created', clock: 'real', time: ({ createdAt }) => createdAt },
        ]}
        empty={
          <Empty
            text="There are no active apps. This call creates one:"
            calls={[{ method: 'POST', path: '/apps', body: { packageName: 'com.example.game' } }]}
          />
        }
        fileName="apps"
      />
    </Stack>
  );
}

/** Disabled apps, such as those made by a typo, are shown on request. */
function stateOf(asked: string | undefined): 'active' | 'disabled' | undefined {
  if (asked === 'all') return undefined;
  return asked === 'disabled' ? 'disabled' : 'active';
}

function AppCreation() {
  const navigate = useNavigate();
  return (
    <ChangeButton
      operation="createApp"
      label="Create an app"
      variant="filled"
      title="Create an app"
      confirmLabel={({ packageName }) => `Create ${packageName}`.trim()}
      initialValues={{ packageName: '', name: '', clientId: '' }}
      change={async ({ packageName = '', name, clientId }, _reason, showSecret) => {
        const { clientSecret } = await client.createApp({
          packageName,
          name: name || undefined,
          clientId: clientId || undefined,
        });
        showSecret({ what: 'client secret', value: clientSecret });
        return packageName;
      }}
      onDone={(packageName) => void navigate(linkTo.app(packageName))}
    >
      <Field
        name="packageName"
        label="Package name"
        description="It never changes."
        placeholder="com.example.game"
        required
        data-autofocus
      />
      <Field name="name" label="Name" />
      <Field name="clientId" label="Client id" description="The package name, if it is empty." />
    </ChangeButton>
  );
}
