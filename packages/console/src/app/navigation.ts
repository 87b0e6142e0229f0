// The pages of the navigation by section, each with the key that follows `g`.

import {
  type Icon,
  IconAdjustmentsHorizontal,
  IconChartBar,
  IconDeviceMobile,
  IconFileText,
  IconFlask,
  IconLayoutDashboard,
  IconRefresh,
  IconSearch,
  IconShoppingCart,
  IconWebhook,
} from '@tabler/icons-react';
import { isProduction } from '../runtime/page.ts';

export const sections = ['Store', 'Build', 'Control'] as const;

interface Entry {
  readonly label: string;
  readonly to: string;
  readonly key: string;
  readonly icon: Icon;
  /** Without one, the page has a key and a place in the header. */
  readonly section?: (typeof sections)[number];
  /** The page has the filter packageName, which the app switcher sets. */
  readonly hasAppFilter?: true;
}

const entries = [
  { label: 'Find', to: '/find', key: 'f', icon: IconSearch },
  { label: 'Overview', to: '/', key: 'o', icon: IconLayoutDashboard, section: 'Store' },
  {
    label: 'Purchases',
    to: '/purchases',
    key: 'p',
    icon: IconShoppingCart,
    section: 'Store',
    hasAppFilter: true,
  },
  {
    label: 'Subscriptions',
    to: '/subscriptions',
    key: 's',
    icon: IconRefresh,
    section: 'Store',
    hasAppFilter: true,
  },
  { label: 'Reports', to: '/reports', key: 'e', icon: IconChartBar, section: 'Store' },
  { label: 'Apps', to: '/apps', key: 'a', icon: IconDeviceMobile, section: 'Build' },
  { label: 'Webhooks', to: '/webhooks', key: 'w', icon: IconWebhook, section: 'Build' },
  { label: 'Lab', to: '/lab', key: 'b', icon: IconFlask, section: 'Build' },
  { label: 'Audit', to: '/audit', key: 'l', icon: IconFileText, section: 'Control', hasAppFilter: true },
  { label: 'Settings', to: '/settings', key: ',', icon: IconAdjustmentsHorizontal, section: 'Control' },
] as const satisfies readonly Entry[];

export type NavigationEntry = (typeof entries)[number] & Entry;

export const navigation: readonly NavigationEntry[] = entries.filter(
  ({ to }) => to !== '/lab' || !isProduction,
);

/** Where an entry leads while an app is chosen. */
export function targetOf({ to, hasAppFilter }: NavigationEntry, packageName: string | undefined) {
  if (packageName === undefined) return { to };
  if (to === '/lab') return { to: '/apps/$packageName/lab', params: { packageName } } as const;
  return { to, ...(hasAppFilter && { search: { packageName } }) };
}
