// The pages of the navigation by section.

import {
  type Icon,
  IconAdjustmentsHorizontal,
  IconChartBar,
  IconDeviceMobile,
  IconFileText,
  IconFlask,
  IconLayoutDashboard,
  IconRefresh,
  IconShoppingCart,
  IconWebhook,
} from '@tabler/icons-react';
import { useParams } from '@tanstack/react-router';
import { useChosenApp } from '../parts/preferences.ts';
import { isProduction } from '../runtime/page.ts';

export const sections = ['Store', 'Build', 'Control'] as const;

interface Entry {
  readonly label: string;
  readonly to: string;
  readonly icon: Icon;
  readonly section: (typeof sections)[number];
  /** The page has the filter packageName, which the app switcher sets. */
  readonly hasAppFilter?: true;
}

const entries = [
  { label: 'Overview', to: '/', icon: IconLayoutDashboard, section: 'Store' },
  {
    label: 'Purchases',
    to: '/purchases',
    icon: IconShoppingCart,
    section: 'Store',
    hasAppFilter: true,
  },
  {
    label: 'Subscriptions',
    to: '/subscriptions',
    icon: IconRefresh,
    section: 'Store',
    hasAppFilter: true,
  },
  { label: 'Reports', to: '/reports', icon: IconChartBar, section: 'Store' },
  { label: 'Apps', to: '/apps', icon: IconDeviceMobile, section: 'Build' },
  { label: 'Webhooks', to: '/webhooks', icon: IconWebhook, section: 'Build' },
  { label: 'Lab', to: '/lab', icon: IconFlask, section: 'Build' },
  { label: 'Audit', to: '/audit', icon: IconFileText, section: 'Control', hasAppFilter: true },
  { label: 'Settings', to: '/settings', icon: IconAdjustmentsHorizontal, section: 'Control' },
] as const satisfies readonly Entry[];

export type NavigationEntry = (typeof entries)[number] & Entry;

export const navigation: readonly NavigationEntry[] = entries.filter(
  ({ to }) => to !== '/lab' || !isProduction,
);

/** The app that the page is about, or else the chosen one; undefined: all. */
export function useShownApp(): string | undefined {
  const [chosen] = useChosenApp();
  const { packageName = chosen } = useParams({ strict: false });
  return packageName;
}

/** Where an entry leads while an app is shown. */
export function targetOf({ to, hasAppFilter }: NavigationEntry, packageName: string | undefined) {
  if (packageName === undefined) return { to };
  if (to === '/lab') return { to: '/apps/$packageName/lab', params: { packageName } } as const;
  return { to, ...(hasAppFilter && { search: { packageName } }) };
}
