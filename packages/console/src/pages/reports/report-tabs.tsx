// The tabs of the reports.

import { Button, type ButtonProps, Group } from '@mantine/core';
import { createLink } from '@tanstack/react-router';

const activeTab = { variant: 'light' } as const;

const Tab = createLink(({ label, ...props }: ButtonProps & { readonly label: string }) => (
  <Button component="a" size="compact-sm" variant="subtle" color="gray" {...props}>
    {label}
  </Button>
));

/** Both keep the app. */
export function ReportTabs({ packageName }: { readonly packageName: string | undefined }) {
  const search = { packageName };
  const exact = { exact: true, includeSearch: false };
  return (
    <Group component="nav" gap="xxs" aria-label="Parts of the reports">
      <Tab label="By day" to="/reports" search={search} activeProps={activeTab} activeOptions={exact} />
      <Tab label="Statements" to="/reports/statements" search={search} activeProps={activeTab} />
    </Group>
  );
}
