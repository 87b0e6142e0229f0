// The heading of a page, with what can be done; that of a record also has its state, its id, and a copy of the address.

import { Group, Stack, Text, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import { IconLink } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { currentAddress, isProduction } from '../runtime/page.ts';
import { CopyIcon } from '../values/copy-icon.tsx';
import { Id } from '../values/id.tsx';
import { colors } from './colors.ts';

/** Sets the title of the window, which names the environment like the frame does. */
export function usePageTitle(page: string): void {
  useDocumentTitle(`${page} - OpenTill ${isProduction ? 'production' : 'sandbox'}`);
}

interface PageHeadingProps {
  /** Also of the window. */
  readonly title: string;
  /** Instead of the title. */
  readonly shown?: ReactNode;
  readonly note?: ReactNode;
  readonly id?: { readonly value: string; readonly what: string } | undefined;
  readonly state?: ReactNode;
  readonly isRecord?: true;
  /** Nothing can be done with the record any more. */
  readonly isVoid?: boolean;
  readonly actions?: ReactNode;
}

const voidLook = { pl: 'sm', style: { borderInlineStart: `3px solid ${colors.bad.fill}` } } as const;

export function PageHeading({ title, shown, note, id, state, isRecord, isVoid, actions }: PageHeadingProps) {
  usePageTitle(title);
  return (
    <Group justify="space-between" align="flex-start" gap="sm" {...(isVoid === true && voidLook)}>
      <Stack gap="xxs" miw={0}>
        <Group gap="sm">
          <Title order={1} style={{ overflowWrap: 'anywhere' }}>
            {shown ?? <bdi>{title}</bdi>}
          </Title>
          {state}
          {isRecord && id === undefined && <CopyLink />}
        </Group>
        {id !== undefined && (
          <Group gap={0} wrap="nowrap">
            <Id {...id} wraps />
            {isRecord && <CopyLink />}
          </Group>
        )}
        {note !== undefined && (
          <Text size="sm" c="dimmed">
            {note}
          </Text>
        )}
      </Stack>
      {/* As high as buttons, which a record has when it is read. */}
      <Group gap="xs" {...(isRecord && { mih: 30 })}>
        {actions}
      </Group>
    </Group>
  );
}

const CopyLink = () => (
  <CopyIcon
    value={currentAddress()}
    title="Copy the link"
    label="Copy the link to this page"
    icon={IconLink}
  />
);
