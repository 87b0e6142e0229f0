// The navigation: the app switcher, and the pages by section.

import { Box, NavLink, type NavLinkProps, Stack, Text } from '@mantine/core';
import { IconBook } from '@tabler/icons-react';
import { createLink, lazyRouteComponent, useLocation } from '@tanstack/react-router';
import { Suspense } from 'react';
import { type NavigationEntry, sections, targetOf, useShownApp } from './navigation.ts';

const AppSwitcher = lazyRouteComponent(() => import('./app-switcher.tsx'), 'AppSwitcher');

/** Before it is loaded. */
const switcherHeight = 30;

export function NavigationBar() {
  return (
    <Stack gap="sm">
      <Box mih={switcherHeight}>
        <Suspense>
          <AppSwitcher />
        </Suspense>
      </Box>
      {Object.entries(sections).map(([section, entries]) => (
        <section key={section} aria-label={section}>
          <Text size="xs" c="dimmed" px="sm" pb="xxs" aria-hidden="true">
            {section}
          </Text>
          {entries.map((entry) => (
            <PageEntry key={entry.to} entry={entry} />
          ))}
          {section === 'Build' && (
            <NavLink href="/docs" target="_blank" label="API" leftSection={<IconBook size={16} />} />
          )}
        </section>
      ))}
    </Stack>
  );
}

// The router would mark Apps in the lab of an app too.
const PageNavLink = createLink((props: NavLinkProps) => (
  <NavLink component="a" {...props} aria-current={props.active === true ? 'page' : undefined} />
));

function PageEntry({ entry }: { readonly entry: NavigationEntry }) {
  const { label, to, icon: Icon } = entry;
  const { pathname } = useLocation();
  const packageName = useShownApp();
  const isActive = to === '/' ? pathname === '/' : sectionOf(pathname).startsWith(to);
  return (
    <PageNavLink
      {...targetOf(entry, packageName)}
      label={label}
      color="gray"
      leftSection={<Icon size={16} />}
      active={isActive}
    />
  );
}

/** The lab, a purchase and a subscription of an app belong to entries of their own. */
function sectionOf(pathname: string): string {
  return pathname.replace(/^\/apps\/[^/]+\/(?=lab$|(?:purchases|subscriptions)\/)/, '/');
}
