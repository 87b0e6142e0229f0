// Links to pages of the console.

import { Anchor, type AnchorProps, Button, type ButtonProps } from '@mantine/core';
import { createLink, linkOptions } from '@tanstack/react-router';
import type { ReactNode } from 'react';

export type AppTab =
  | 'purchases'
  | 'products'
  | 'events'
  | 'webhook'
  | 'credentials'
  | 'changes'
  | 'settings'
  | 'lab';

/** The page of a record: `<PageLink {...linkTo.buyer(buyerId)}>`. */
export const linkTo = {
  app: (packageName: string, tab: AppTab = 'purchases') =>
    linkOptions({ to: `/apps/$packageName/${tab}`, params: { packageName } }),
  purchase: ({ packageName, purchaseId }: { readonly packageName: string; readonly purchaseId: string }) =>
    linkOptions({ to: '/apps/$packageName/purchases/$purchaseId', params: { packageName, purchaseId } }),
  subscription: ({
    packageName,
    firstPurchaseId,
  }: {
    readonly packageName: string;
    readonly firstPurchaseId: string;
  }) =>
    linkOptions({
      to: '/apps/$packageName/subscriptions/$firstPurchaseId',
      params: { packageName, firstPurchaseId },
    }),
  delivery: (packageName: string, deliveryId: string) =>
    linkOptions({ to: '/apps/$packageName/deliveries/$deliveryId', params: { packageName, deliveryId } }),
  buyer: (buyerId: string) => linkOptions({ to: '/buyer', search: { id: buyerId } }),
  audit: (packageName: string | undefined, subject: string | undefined) =>
    linkOptions({ to: '/audit', search: { packageName, subject } }),
  find: (q: string) => linkOptions({ to: '/find', search: { q } }),
};

export type PageTarget = ReturnType<(typeof linkTo)[keyof typeof linkTo]>;

interface AnchorLinkProps extends Omit<AnchorProps, 'href'> {
  readonly children?: ReactNode;
}

export const PageLink = createLink((props: AnchorLinkProps) => <Anchor {...props} />);

interface ButtonLinkProps extends ButtonProps {
  readonly children?: ReactNode;
}

export const ButtonLink = createLink((props: ButtonLinkProps) => <Button component="a" {...props} />);
