// The pages and their addresses. Each page is loaded when it is opened.

import { withoutSurroundings } from '@opentill/contract/pasted-text.ts';
import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from '@tanstack/react-router';
import { type FilterFields, searchOf } from '../filters/filter-fields.ts';
import * as fields from '../filters/page-filters.ts';
import { isProduction } from '../runtime/page.ts';
import { NotFoundPage, PageFailure } from './fallback-pages.tsx';
import { focusHeading } from './focus.ts';
import { Frame } from './frame.tsx';

type PageComponent = ReturnType<typeof lazyRouteComponent>;

const root = createRootRoute();

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  component: lazyRouteComponent(() => import('../pages/sign-in-page.tsx'), 'SignInLinkPage'),
});
const frame = createRoute({ getParentRoute: () => root, id: 'frame', component: Frame });

/** A page in the frame. */
const page = <const Path extends string, const Fields extends FilterFields>(
  path: Path,
  component: PageComponent | typeof NotFoundPage,
  searchFields: Fields,
) =>
  createRoute({
    getParentRoute: () => frame,
    path,
    validateSearch: searchOf(searchFields),
    component,
  });

const app = createRoute({
  getParentRoute: () => frame,
  path: '/apps/$packageName',
  component: lazyRouteComponent(() => import('../pages/apps/app-page.tsx'), 'AppPage'),
});

/** A tab of the page of an app. */
const tab = <const Path extends string, const Fields extends FilterFields>(
  path: Path,
  component: PageComponent,
  searchFields: Fields,
) =>
  createRoute({
    getParentRoute: () => app,
    path,
    validateSearch: searchOf(searchFields),
    component,
  });

const appIndex = createRoute({
  getParentRoute: () => app,
  path: '/',
  beforeLoad({ params }) {
    throw redirect({ to: '/apps/$packageName/purchases', params, replace: true });
  },
});

const purchasesPage = () => import('../pages/purchases/purchases-page.tsx');
const auditPage = () => import('../pages/audit-page.tsx');
const labPage = () => import('../pages/lab/lab-page.tsx');

const tabs = [
  appIndex,
  tab('/purchases', lazyRouteComponent(purchasesPage, 'AppPurchases'), fields.appPurchasesFields),
  tab(
    '/products',
    lazyRouteComponent(() => import('../pages/apps/app-products.tsx'), 'AppProducts'),
    fields.noFields,
  ),
  tab(
    '/events',
    lazyRouteComponent(() => import('../pages/apps/app-events.tsx'), 'AppEvents'),
    fields.noFields,
  ),
  tab(
    '/webhook',
    lazyRouteComponent(() => import('../pages/apps/app-webhook.tsx'), 'AppWebhook'),
    fields.deliveriesFields,
  ),
  tab(
    '/credentials',
    lazyRouteComponent(() => import('../pages/apps/app-credentials.tsx'), 'AppCredentials'),
    fields.noFields,
  ),
  tab('/changes', lazyRouteComponent(auditPage, 'AppChanges'), fields.changesFields),
  tab(
    '/settings',
    lazyRouteComponent(() => import('../pages/apps/app-settings.tsx'), 'AppSettings'),
    fields.noFields,
  ),
] as const;

const pages = [
  page(
    '/',
    lazyRouteComponent(() => import('../pages/overview/overview-page.tsx'), 'OverviewPage'),
    fields.noFields,
  ),
  page(
    '/buyer',
    lazyRouteComponent(() => import('../pages/buyer-page.tsx'), 'BuyerPage'),
    fields.buyerFields,
  ),
  page(
    '/find',
    lazyRouteComponent(() => import('./find-page.tsx'), 'FindPage'),
    fields.findFields,
  ),
  page('/purchases', lazyRouteComponent(purchasesPage, 'PurchasesPage'), fields.purchasesFields),
  page(
    '/apps/$packageName/purchases/$purchaseId',
    lazyRouteComponent(() => import('../pages/purchases/purchase-page.tsx'), 'PurchasePage'),
    fields.noFields,
  ),
  page(
    '/subscriptions',
    lazyRouteComponent(() => import('../pages/subscriptions/subscriptions-page.tsx'), 'SubscriptionsPage'),
    fields.subscriptionsFields,
  ),
  page(
    '/apps/$packageName/subscriptions/$firstPurchaseId',
    lazyRouteComponent(() => import('../pages/subscriptions/subscription-page.tsx'), 'SubscriptionPage'),
    fields.subscriptionFields,
  ),
  page(
    '/reports',
    lazyRouteComponent(() => import('../pages/reports/reports-page.tsx'), 'ReportsPage'),
    fields.reportFields,
  ),
  page(
    '/apps',
    lazyRouteComponent(() => import('../pages/apps/apps-page.tsx'), 'AppsPage'),
    fields.appsFields,
  ),
  app.addChildren(tabs),
  page(
    '/webhooks',
    lazyRouteComponent(() => import('../pages/webhooks/webhooks-page.tsx'), 'WebhooksPage'),
    fields.noFields,
  ),
  page(
    '/apps/$packageName/deliveries/$deliveryId',
    lazyRouteComponent(() => import('../pages/webhooks/delivery-page.tsx'), 'DeliveryPage'),
    fields.noFields,
  ),
  page(
    '/apps/$packageName/lab',
    isProduction ? NotFoundPage : lazyRouteComponent(labPage, 'LabPage'),
    fields.requestFields,
  ),
  page('/lab', isProduction ? NotFoundPage : lazyRouteComponent(labPage, 'LabChoicePage'), fields.noFields),
  page('/audit', lazyRouteComponent(auditPage, 'AuditPage'), fields.auditFields),
  page(
    '/settings',
    lazyRouteComponent(() => import('../pages/settings-page.tsx'), 'SettingsPage'),
    fields.noFields,
  ),
  page('$', NotFoundPage, fields.noFields),
] as const;

/** Search parameters stay strings (ids may be all digits). If repeated, the first wins. */
const searchParsing = {
  parseSearch: (text: string) => Object.fromEntries([...new URLSearchParams(text)].reverse()),
  stringifySearch(search: Readonly<Record<string, string | undefined>>) {
    const given = Object.entries(search).filter((entry): entry is [string, string] => Boolean(entry[1]));
    return given.length === 0 ? '' : `?${new URLSearchParams(given)}`;
  },
};

/** No id in a path has spaces, but a pasted link may. The server serves no page at a path that cannot be decoded. */
function withoutSpaces({ url }: { readonly url: URL }): URL {
  const segments = url.pathname.split('/').map((segment) => withoutSurroundings(decodeURIComponent(segment)));
  url.pathname = segments.map(encodeURIComponent).join('/');
  return url;
}

export const router = createRouter({
  routeTree: root.addChildren([signIn, frame.addChildren(pages)]),
  basepath: '/console',
  rewrite: { input: withoutSpaces },
  scrollRestoration: true,
  defaultErrorComponent: PageFailure,
  ...searchParsing,
});

router.subscribe('onRendered', ({ pathChanged, fromLocation }) => {
  if (pathChanged && fromLocation !== undefined) focusHeading();
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
