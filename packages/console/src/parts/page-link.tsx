// Links to pages of the console, as real links, and their addresses: every id may contain any text.

import { Anchor, type AnchorProps } from '@mantine/core';
import { useRouter } from '@tanstack/react-router';
import { type MouseEvent, type ReactNode, useCallback } from 'react';

const base = '/console';

type Search = Readonly<Record<string, string | undefined>>;

/** The path of a page below /console: `pathOf(['apps', packageName, 'purchases', purchaseId])`, `pathOf(['find'], {q})`. */
export function pathOf(names: readonly string[], search: Search = {}): string {
  const path = names.map((name) => `/${encodeURIComponent(name.toWellFormed())}`).join('') || '/';
  const query = searchText(search);
  return query === '' ? path : `${path}?${query}`;
}

/** The same search always has the same text. */
export function searchText(search: Search): string {
  const given = Object.entries(search).filter((entry): entry is [string, string] => Boolean(entry[1]));
  return new URLSearchParams(given).toString();
}

/** The path of the page of a record. */
export const pathTo = {
  app: (packageName: string, tab = 'overview') => pathOf(['apps', packageName, tab]),
  purchase: (of: { readonly packageName: string; readonly purchaseId: string }) =>
    pathOf(['apps', of.packageName, 'purchases', of.purchaseId]),
  subscription: (of: { readonly packageName: string; readonly firstPurchaseId: string }) =>
    pathOf(['apps', of.packageName, 'subscriptions', of.firstPurchaseId]),
  delivery: (packageName: string, deliveryId: string) =>
    pathOf(['apps', packageName, 'deliveries', deliveryId]),
  buyer: (buyerId: string) => pathOf(['buyer'], { id: buyerId }),
};

type Go = (path: string, options?: { readonly replace?: boolean }) => void;

/** Goes to a path below /console; `replace` leaves no entry in the history. */
export function useGo(): Go {
  const { history } = useRouter();
  return useCallback<Go>(
    (path, { replace = false } = {}) => (replace ? history.replace(base + path) : history.push(base + path)),
    [history],
  );
}

interface PageLinkProps extends AnchorProps {
  /** Below /console. */
  readonly path: string;
  readonly children: ReactNode;
}

export function PageLink({ path, children, ...props }: PageLinkProps) {
  return (
    <Anchor {...props} {...useLinkTo(path)}>
      {children}
    </Anchor>
  );
}

/** The properties of an `a` element that goes to a page without loading the console again. */
export function useLinkTo(path: string) {
  const go = useGo();
  const onClick = (event: MouseEvent): void => {
    const isOwn = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
    if (!isOwn || event.defaultPrevented) return;
    event.preventDefault();
    go(path);
  };
  return { href: base + path, onClick };
}
