// The frame of the tabs of an app.

import { Alert, Button, type ButtonProps, Group, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { createLink, Outlet, useParams } from '@tanstack/react-router';
import { callQuery } from '../../api/client.ts';
import { PageHeading } from '../../parts/page-heading.tsx';
import { linkTo } from '../../parts/page-link.tsx';
import { PanelContent } from '../../parts/panel.tsx';
import { isProduction } from '../../runtime/page.ts';

const tabs = [
  ['purchases', 'Purchases'],
  ['products', 'Products'],
  ['events', 'Events'],
  ['webhook', 'Webhook'],
  ['credentials', 'Credentials'],
  ['changes', 'Changes'],
  ['settings', 'Settings'],
] as const;

export function AppPage() {
  const { packageName } = useParams({ from: '/frame/apps/$packageName' });
  const app = useQuery(callQuery('getApp', { packageName }));
  return (
    <Stack gap="lg">
      <PageHeading
        title={app.data?.name ?? packageName}
        id={app.data?.name === undefined ? undefined : { value: packageName, what: 'package name' }}
      />
      {app.data?.disabled === true && (
        <Alert color="waiting" title="This app is disabled">
          It gets no access tokens, no purchases are recorded, no subscription is renewed, and its webhook
          gets nothing.
        </Alert>
      )}
      <Group component="nav" gap="xxs" aria-label="Parts of the app">
        {tabs.map(([tab, label]) => (
          <Tab key={tab} label={label} activeProps={activeTab} {...linkTo.app(packageName, tab)} />
        ))}
        {!isProduction && <Tab label="Lab" {...linkTo.app(packageName, 'lab')} />}
      </Group>
      <PanelContent state={app}>
        <Outlet />
      </PanelContent>
    </Stack>
  );
}

const activeTab = { variant: 'light' } as const;
const tabLook = { size: 'compact-sm', variant: 'subtle', color: 'gray' } as const;

const Tab = createLink(({ label, ...props }: ButtonProps & { readonly label: string }) => (
  <Button component="a" {...tabLook} {...props}>
    {label}
  </Button>
));
