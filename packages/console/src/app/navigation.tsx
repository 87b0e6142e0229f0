// The pages of the navigation, each with the key that follows `g`.

import type { ReactNode } from 'react';
import {
  AppsIcon,
  AuditIcon,
  FindIcon,
  LabIcon,
  OverviewIcon,
  SettingsIcon,
  SubscriptionIcon,
  WebhookIcon,
} from '../parts/icons.tsx';
import { isProduction } from '../runtime/page.ts';

interface NavigationEntry {
  readonly label: string;
  /** Below /console. */
  readonly path: string;
  readonly key: string;
  readonly icon: ReactNode;
}

export const navigation: readonly NavigationEntry[] = [
  { label: 'Overview', path: '/', key: 'o', icon: <OverviewIcon /> },
  { label: 'Find', path: '/find', key: 'f', icon: <FindIcon /> },
  { label: 'Subscriptions', path: '/subscriptions', key: 's', icon: <SubscriptionIcon /> },
  { label: 'Apps', path: '/apps', key: 'a', icon: <AppsIcon /> },
  { label: 'Webhooks', path: '/webhooks', key: 'w', icon: <WebhookIcon /> },
  { label: 'Audit', path: '/audit', key: 'l', icon: <AuditIcon /> },
  { label: 'Settings', path: '/settings', key: ',', icon: <SettingsIcon /> },
  ...(isProduction ? [] : [{ label: 'Lab', path: '/lab', key: 'b', icon: <LabIcon /> }]),
];
