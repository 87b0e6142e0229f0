// The heading of a page, with its actions.

import { Group, Stack, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { isProduction } from '../runtime/page.ts';

/** Sets the title of the window, which names the environment like the frame does. */
export function usePageTitle(page: string): void {
  useDocumentTitle(`${page} - OpenTill ${isProduction ? 'production' : 'sandbox'}`);
}

interface PageHeadingProps {
  readonly title: string;
  /** Instead of the title, for the window. */
  readonly windowTitle?: string;
  readonly actions?: ReactNode;
  readonly children?: ReactNode;
}

export function PageHeading({ title, windowTitle = title, actions, children }: PageHeadingProps) {
  usePageTitle(windowTitle);
  return (
    <Group justify="space-between" align="flex-start" gap="sm">
      <Stack gap="xxs" style={{ minWidth: 0 }}>
        <Title order={1} style={{ overflowWrap: 'anywhere' }}>
          <bdi>{title}</bdi>
        </Title>
        {children}
      </Stack>
      {actions !== undefined && <Group gap="xs">{actions}</Group>}
    </Group>
  );
}
