// The frame of the tabs of an app.

import { Alert, Button, Group, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Outlet, useLocation, useParams } from '@tanstack/react-router';
import { appQuery } from '../../api/app.ts';
import { Id } from '../../parts/id.tsx';
import { PageHeading } from '../../parts/page-heading.tsx';
import { pathOf, pathTo, useLinkTo } from '../../parts/page-link.tsx';
import { PanelContent } from '../../parts/panel.tsx';
import { isProduction } from '../../runtime/page.ts';

const tabs = {
  overview: 'Overview',
  purchases: 'Purchases',
  subscriptions: 'Subscriptions',
  products: 'Products',
  events: 'Events',
  webhook: 'Webhook',
  credentials: 'Credentials',
  changes: 'Changes',
  settings: 'Settings',
} as const;

export function AppPage() {
  const { packageName } = useParams({ from: '/frame/apps/$packageName' });
  const { pathname } = useLocation();
  const app = useQuery(appQuery(packageName));
  const tab = pathname.split('/').at(-1) ?? 'overview';
  return (
    <Stack gap="lg">
      <PageHeading title={app.data?.name ?? packageName} windowTitle={packageName}>
        {app.data?.name !== undefined && <Id value={packageName} what="package name" wraps />}
      </PageHeading>
      {app.data?.disabled === true && (
        <Alert color="yellow" variant="light" title="This app is disabled">
          It gets no access tokens, no purchases are recorded, no subscription is renewed, and its webhook
          gets nothing.
        </Alert>
      )}
      <Group component="nav" gap={4} aria-label="Parts of the app">
        {Object.entries(tabs).map(([name, label]) => (
          <Tab key={name} label={label} path={tabPath(packageName, name)} isActive={name === tab} />
        ))}
        {!isProduction && <Tab label="Lab" path={pathTo.app(packageName, 'lab')} isActive={false} />}
      </Group>
      <PanelContent state={app}>
        <Outlet />
      </PanelContent>
    </Stack>
  );
}

interface TabProps {
  readonly label: string;
  readonly path: string;
  readonly isActive: boolean;
}

function Tab({ label, path, isActive }: TabProps) {
  return (
    <Button
      component="a"
      size="compact-sm"
      variant={isActive ? 'outline' : 'subtle'}
      {...(isActive ? { 'aria-current': 'page' } : { color: 'gray' })}
      {...useLinkTo(path)}
    >
      {label}
    </Button>
  );
}

/** Subscriptions of one app are a filter of those of the store. */
function tabPath(packageName: string, tab: string): string {
  return tab === 'subscriptions' ? pathOf(['subscriptions'], { packageName }) : pathTo.app(packageName, tab);
}
