// The pages and their addresses.

import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from '@tanstack/react-router';
import * as appFields from '../pages/apps/fields.ts';
import { buyerFields } from '../pages/buyers/buyer-fields.ts';
import { requestFields } from '../pages/lab/request-fields.ts';
import { NotFoundPage } from '../pages/not-found-page.tsx';
import { appPurchasesFields, purchasesFields } from '../pages/purchases/purchases-fields.ts';
import { reportFields } from '../pages/reports/report-fields.ts';
import { subscriptionFields } from '../pages/subscriptions/subscription-fields.ts';
import { subscriptionsFields } from '../pages/subscriptions/subscriptions-fields.ts';
import { searchOf } from '../parts/filter-fields.ts';
import { isProduction } from '../runtime/page.ts';
import { Frame } from './frame.tsx';
import { focusHeading } from './heading-focus.ts';
import { PageFailure } from './page-failure.tsx';
import { noteRecent } from './recent-records.ts';

const root = createRootRoute();

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  component: lazyRouteComponent(() => import('./sign-in.tsx'), 'SignIn'),
});
const frame = createRoute({ getParentRoute: () => root, id: 'frame', component: Frame });
const overview = createRoute({
  getParentRoute: () => frame,
  path: '/',
  component: lazyRouteComponent(() => import('../pages/overview/overview-page.tsx'), 'OverviewPage'),
});
const buyer = createRoute({
  getParentRoute: () => frame,
  path: '/buyer',
  validateSearch: searchOf(buyerFields),
  component: lazyRouteComponent(() => import('../pages/buyers/buyer-page.tsx'), 'BuyerPage'),
});
const find = createRoute({
  getParentRoute: () => frame,
  path: '/find',
  validateSearch: searchOf({ q: { label: 'Text' }, orderId: { label: 'Order id' } }),
  component: lazyRouteComponent(() => import('./find-page.tsx'), 'FindPage'),
});
const purchase = createRoute({
  getParentRoute: () => frame,
  path: '/apps/$packageName/purchases/$purchaseId',
  component: lazyRouteComponent(() => import('../pages/purchases/purchase-page.tsx'), 'PurchasePage'),
});
const lab = createRoute({
  getParentRoute: () => frame,
  path: '/apps/$packageName/lab',
  validateSearch: searchOf(requestFields),
  component: isProduction
    ? NotFoundPage
    : lazyRouteComponent(() => import('../pages/lab/lab-page.tsx'), 'LabPage'),
});
const labChoice = createRoute({
  getParentRoute: () => frame,
  path: '/lab',
  component: isProduction
    ? NotFoundPage
    : lazyRouteComponent(() => import('../pages/lab/lab-choice-page.tsx'), 'LabChoicePage'),
});
const subscriptions = createRoute({
  getParentRoute: () => frame,
  path: '/subscriptions',
  validateSearch: searchOf(subscriptionsFields),
  component: lazyRouteComponent(
    () => import('../pages/subscriptions/subscriptions-page.tsx'),
    'SubscriptionsPage',
  ),
});
const subscription = createRoute({
  getParentRoute: () => frame,
  path: '/apps/$packageName/subscriptions/$firstPurchaseId',
  validateSearch: searchOf(subscriptionFields),
  component: lazyRouteComponent(
    () => import('../pages/subscriptions/subscription-page.tsx'),
    'SubscriptionPage',
  ),
});
const apps = createRoute({
  getParentRoute: () => frame,
  path: '/apps',
  validateSearch: searchOf(appFields.appsFields),
  component: lazyRouteComponent(() => import('../pages/apps/apps-page.tsx'), 'AppsPage'),
});
const app = createRoute({
  getParentRoute: () => frame,
  path: '/apps/$packageName',
  component: lazyRouteComponent(() => import('../pages/apps/app-page.tsx'), 'AppPage'),
});
const appIndex = createRoute({
  getParentRoute: () => app,
  path: '/',
  beforeLoad({ params }) {
    throw redirect({ to: '/apps/$packageName/purchases', params, replace: true });
  },
});
const appPurchases = createRoute({
  getParentRoute: () => app,
  path: '/purchases',
  validateSearch: searchOf(appPurchasesFields),
  component: lazyRouteComponent(() => import('../pages/apps/app-purchases.tsx'), 'AppPurchases'),
});
const appProducts = createRoute({
  getParentRoute: () => app,
  path: '/products',
  validateSearch: searchOf(appFields.noFields),
  component: lazyRouteComponent(() => import('../pages/apps/app-products.tsx'), 'AppProducts'),
});
const appEvents = createRoute({
  getParentRoute: () => app,
  path: '/events',
  validateSearch: searchOf(appFields.noFields),
  component: lazyRouteComponent(() => import('../pages/apps/app-events.tsx'), 'AppEvents'),
});
const appWebhook = createRoute({
  getParentRoute: () => app,
  path: '/webhook',
  validateSearch: searchOf(appFields.deliveriesFields),
  component: lazyRouteComponent(() => import('../pages/apps/app-webhook.tsx'), 'AppWebhook'),
});
const appCredentials = createRoute({
  getParentRoute: () => app,
  path: '/credentials',
  component: lazyRouteComponent(() => import('../pages/apps/app-credentials.tsx'), 'AppCredentials'),
});
const appChanges = createRoute({
  getParentRoute: () => app,
  path: '/changes',
  validateSearch: searchOf(appFields.changesFields),
  component: lazyRouteComponent(() => import('../pages/apps/app-changes.tsx'), 'AppChanges'),
});
const appSettings = createRoute({
  getParentRoute: () => app,
  path: '/settings',
  component: lazyRouteComponent(() => import('../pages/apps/app-settings.tsx'), 'AppSettings'),
});
const delivery = createRoute({
  getParentRoute: () => frame,
  path: '/apps/$packageName/deliveries/$deliveryId',
  component: lazyRouteComponent(() => import('../pages/webhooks/delivery-page.tsx'), 'DeliveryPage'),
});
const webhooks = createRoute({
  getParentRoute: () => frame,
  path: '/webhooks',
  validateSearch: searchOf(appFields.noFields),
  component: lazyRouteComponent(() => import('../pages/webhooks/webhooks-page.tsx'), 'WebhooksPage'),
});
const audit = createRoute({
  getParentRoute: () => frame,
  path: '/audit',
  validateSearch: searchOf(appFields.auditFields),
  component: lazyRouteComponent(() => import('../pages/audit/audit-page.tsx'), 'AuditPage'),
});
const purchases = createRoute({
  getParentRoute: () => frame,
  path: '/purchases',
  validateSearch: searchOf(purchasesFields),
  component: lazyRouteComponent(() => import('../pages/purchases/purchases-page.tsx'), 'PurchasesPage'),
});
const reports = createRoute({
  getParentRoute: () => frame,
  path: '/reports',
  validateSearch: searchOf(reportFields),
  component: lazyRouteComponent(() => import('../pages/reports/reports-page.tsx'), 'ReportsPage'),
});
const settings = createRoute({
  getParentRoute: () => frame,
  path: '/settings',
  component: lazyRouteComponent(() => import('../pages/settings-page.tsx'), 'SettingsPage'),
});
const unknown = createRoute({ getParentRoute: () => frame, path: '$', component: NotFoundPage });

/** Search parameters stay strings (ids may be all digits). If repeated, the first wins. */
const searchParsing = {
  parseSearch: (text: string) => Object.fromEntries([...new URLSearchParams(text)].reverse()),
  stringifySearch(search: Readonly<Record<string, string | undefined>>) {
    const given = Object.entries(search).filter((entry): entry is [string, string] => Boolean(entry[1]));
    return given.length === 0 ? '' : `?${new URLSearchParams(given)}`;
  },
};

export const router = createRouter({
  routeTree: root.addChildren([
    signIn,
    frame.addChildren([
      overview,
      buyer,
      find,
      purchase,
      lab,
      labChoice,
      subscriptions,
      subscription,
      apps,
      app.addChildren([
        appIndex,
        appPurchases,
        appProducts,
        appEvents,
        appWebhook,
        appCredentials,
        appChanges,
        appSettings,
      ]),
      delivery,
      webhooks,
      audit,
      purchases,
      reports,
      settings,
      unknown,
    ]),
  ]),
  basepath: '/console',
  scrollRestoration: true,
  defaultErrorComponent: PageFailure,
  ...searchParsing,
});

router.subscribe('onRendered', ({ pathChanged, fromLocation, toLocation }) => {
  noteRecent(router.state.matches.at(-1)?.params ?? {}, toLocation.search);
  if (pathChanged && fromLocation !== undefined) focusHeading();
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
