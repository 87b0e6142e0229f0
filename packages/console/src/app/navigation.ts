// The pages of the navigation, each with the key that follows `g`.

import {
  type Icon,
  IconAdjustmentsHorizontal,
  IconDeviceMobile,
  IconFileText,
  IconFlask,
  IconLayoutDashboard,
  IconRefresh,
  IconSearch,
  IconWebhook,
} from '@tabler/icons-react';
import { isProduction } from '../runtime/page.ts';

const entries = [
  { label: 'Overview', to: '/', key: 'o', icon: IconLayoutDashboard },
  { label: 'Find', to: '/find', key: 'f', icon: IconSearch },
  { label: 'Subscriptions', to: '/subscriptions', key: 's', icon: IconRefresh },
  { label: 'Apps', to: '/apps', key: 'a', icon: IconDeviceMobile },
  { label: 'Webhooks', to: '/webhooks', key: 'w', icon: IconWebhook },
  { label: 'Audit', to: '/audit', key: 'l', icon: IconFileText },
  { label: 'Settings', to: '/settings', key: ',', icon: IconAdjustmentsHorizontal },
  { label: 'Lab', to: '/lab', key: 'b', icon: IconFlask },
] as const satisfies readonly { readonly icon: Icon; readonly [name: string]: unknown }[];

export type NavigationEntry = (typeof entries)[number];

export const navigation = entries.filter(({ to }) => to !== '/lab' || !isProduction);
