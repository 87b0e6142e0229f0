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

interface Entry {
  readonly label: string;
  readonly to: string;
  readonly icon: Icon;
  /** The page has the filter packageName, which the app switcher sets. */
  readonly hasAppFilter?: true;
}

const lab = { label: 'Lab', to: '/lab', icon: IconFlask } as const;

export const sections = {
  Store: [
    { label: 'Overview', to: '/', icon: IconLayoutDashboard },
    { label: 'Purchases', to: '/purchases', icon: IconShoppingCart, hasAppFilter: true },
    { label: 'Subscriptions', to: '/subscriptions', icon: IconRefresh, hasAppFilter: true },
    { label: 'Reports', to: '/reports', icon: IconChartBar, hasAppFilter: true },
  ],
  Build: [
    { label: 'Apps', to: '/apps', icon: IconDeviceMobile },
    { label: 'Webhooks', to: '/webhooks', icon: IconWebhook },
    ...(isProduction ? [] : [lab]),
  ],
  Control: [
    { label: 'Audit', to: '/audit', icon: IconFileText, hasAppFilter: true },
    { label: 'Settings', to: '/settings', icon: IconAdjustmentsHorizontal },
  ],
} as const satisfies Readonly<Record<string, readonly Entry[]>>;

type Section = (typeof sections)[keyof typeof sections];
export type NavigationEntry = Entry & Pick<Section[number], 'to'>;

export const navigation: readonly NavigationEntry[] = Object.values(sections).flat();

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
