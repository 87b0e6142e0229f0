// The pages and their addresses. Each page is loaded when it is opened, except the first one.

import { withoutSurroundings } from '@opentill/contract/pasted-text.ts';
import {
  type AnyRoute,
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent as lazy,
  redirect,
} from '@tanstack/react-router';
import { queryClient } from '../api/session.ts';
import { type FilterFields, searchOf } from '../filters/filter-fields.ts';
import * as fields from '../filters/page-filters.ts';
import { OverviewPage } from '../pages/overview/overview-page.tsx';
import { readOverview } from '../pages/overview/overview-query.ts';
import { isProduction } from '../runtime/page.ts';
import { NotFoundPage, PageFailure } from './fallback-pages.tsx';
import { focusHeading } from './focus.ts';
import { Frame } from './frame.tsx';

type PageComponent = ReturnType<typeof lazy>;

const load = {
  apps: () => import('../pages/apps/apps-page.tsx'),
  app: () => import('../pages/apps/app-page.tsx'),
  products: () => import('../pages/apps/app-products.tsx'),
  events: () => import('../pages/apps/app-events.tsx'),
  webhook: () => import('../pages/apps/app-webhook.tsx'),
  credentials: () => import('../pages/apps/app-credentials.tsx'),
  appSettings: () => import('../pages/apps/app-settings.tsx'),
  audit: () => import('../pages/audit-page.tsx'),
  buyer: () => import('../pages/buyer-page.tsx'),
  delivery: () => import('../pages/webhooks/delivery-page.tsx'),
  find: () => import('./find-page.tsx'),
  lab: () => import('../pages/lab/lab-page.tsx'),
  purchase: () => import('../pages/purchases/purchase-page.tsx'),
  purchases: () => import('../pages/purchases/purchases-page.tsx'),
  reports: () => import('../pages/reports/reports-page.tsx'),
  settings: () => import('../pages/settings-page.tsx'),
  statements: () => import('../pages/reports/statements-page.tsx'),
  signIn: () => import('../pages/sign-in-page.tsx'),
  subscription: () => import('../pages/subscriptions/subscription-page.tsx'),
  subscriptions: () => import('../pages/subscriptions/subscriptions-page.tsx'),
  webhooks: () => import('../pages/webhooks/webhooks-page.tsx'),
} as const;

const root = createRootRoute();

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  component: lazy(load.signIn, 'SignInLinkPage'),
});
const frame = createRoute({ getParentRoute: () => root, id: 'frame', component: Frame });

const pageIn =
  <Parent extends AnyRoute>(parent: Parent) =>
  <const Path extends string, const Fields extends FilterFields>(
    path: Path,
    component: PageComponent | typeof NotFoundPage,
    searchFields: Fields,
  ) =>
    createRoute({
      getParentRoute: () => parent,
      path,
      validateSearch: searchOf(searchFields),
      component,
    });

const page = pageIn(frame);

const app = createRoute({
  getParentRoute: () => frame,
  path: '/apps/$packageName',
  component: lazy(load.app, 'AppPage'),
});

const tab = pageIn(app);

const appIndex = createRoute({
  getParentRoute: () => app,
  path: '/',
  beforeLoad({ params }) {
    throw redirect({ to: '/apps/$packageName/purchases', params, replace: true });
  },
});

const tabs = [
  appIndex,
  tab('/purchases', lazy(load.purchases, 'AppPurchases'), fields.appPurchasesFields),
  tab('/products', lazy(load.products, 'AppProducts'), fields.noFields),
  tab('/events', lazy(load.events, 'AppEvents'), fields.noFields),
  tab('/webhook', lazy(load.webhook, 'AppWebhook'), fields.deliveriesFields),
  tab('/credentials', lazy(load.credentials, 'AppCredentials'), fields.noFields),
  tab('/changes', lazy(load.audit, 'AppChanges'), fields.changesFields),
  tab('/settings', lazy(load.appSettings, 'AppSettings'), fields.noFields),
] as const;

/** Only in the sandbox. */
const lab = (component: PageComponent) => (isProduction ? NotFoundPage : component);
const inApp = '/apps/$packageName';

const overview = createRoute({
  getParentRoute: () => frame,
  path: '/',
  loader: () => void readOverview(queryClient),
  component: OverviewPage,
});

const pages = [
  overview,
  page('/buyer', lazy(load.buyer, 'BuyerPage'), fields.buyerFields),
  page('/find', lazy(load.find, 'FindPage'), fields.findFields),
  page('/purchases', lazy(load.purchases, 'PurchasesPage'), fields.purchasesFields),
  page(`${inApp}/purchases/$purchaseId`, lazy(load.purchase, 'PurchasePage'), fields.noFields),
  page('/subscriptions', lazy(load.subscriptions, 'SubscriptionsPage'), fields.subscriptionsFields),
  page(
    `${inApp}/subscriptions/$firstPurchaseId`,
    lazy(load.subscription, 'SubscriptionPage'),
    fields.subscriptionFields,
  ),
  page('/reports', lazy(load.reports, 'ReportsPage'), fields.reportFields),
  page('/reports/statements', lazy(load.statements, 'StatementsPage'), fields.statementFields),
  page('/apps', lazy(load.apps, 'AppsPage'), fields.appsFields),
  app.addChildren(tabs),
  page('/webhooks', lazy(load.webhooks, 'WebhooksPage'), fields.noFields),
  page(`${inApp}/deliveries/$deliveryId`, lazy(load.delivery, 'DeliveryPage'), fields.noFields),
  page(`${inApp}/lab`, lab(lazy(load.lab, 'LabPage')), fields.requestFields),
  page('/lab', lab(lazy(load.lab, 'LabChoicePage')), fields.noFields),
  page('/audit', lazy(load.audit, 'AuditPage'), fields.auditFields),
  page('/settings', lazy(load.settings, 'SettingsPage'), fields.noFields),
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
