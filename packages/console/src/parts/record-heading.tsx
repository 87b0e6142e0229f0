// The heading of a record: what it is, its state, its id with a copy of the id and of the address, and what can be done.

import { ActionIcon, CopyButton, Group, Stack, Title } from '@mantine/core';
import { IconCheck, IconLink } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { currentAddress } from '../runtime/page.ts';
import { Id } from '../values/id.tsx';
import { colors } from './colors.ts';
import { usePageTitle } from './page-heading.tsx';

interface RecordHeadingProps {
  /** For the window, and until the record is read. */
  readonly windowTitle: string;
  readonly title?: ReactNode;
  readonly state?: ReactNode;
  /** Absent if the title is the id. */
  readonly id?: { readonly value: string; readonly what: string };
  /** Nothing can be done any more. */
  readonly isVoid?: boolean;
  readonly children?: ReactNode;
}

export function RecordHeading({ windowTitle, title, state, id, isVoid, children }: RecordHeadingProps) {
  usePageTitle(windowTitle);
  return (
    <Group
      justify="space-between"
      align="flex-start"
      {...(isVoid === true && { pl: 'sm', style: { borderInlineStart: `3px solid ${colors.bad.fill}` } })}
    >
      <Stack gap="xxs" miw={0}>
        <Group gap="sm" mih={26}>
          <Title order={1} style={{ overflowWrap: 'anywhere' }}>
            {title ?? <bdi>{windowTitle}</bdi>}
          </Title>
          {state}
          {id === undefined && <CopyLink />}
        </Group>
        {id !== undefined && (
          <Group gap={0} wrap="nowrap">
            <Id {...id} wraps />
            <CopyLink />
          </Group>
        )}
      </Stack>
      {/* As high as its buttons will be. */}
      <Group gap="xs" mih={30}>
        {children}
      </Group>
    </Group>
  );
}

function CopyLink() {
  return (
    <CopyButton value={currentAddress()}>
      {({ copied, copy }) => (
        <ActionIcon
          variant="subtle"
          color="gray"
          size={24}
          onClick={copy}
          title={copied ? 'Copied' : 'Copy the link'}
          aria-label="Copy the link to this page"
        >
          {copied ? <IconCheck size={16} /> : <IconLink size={16} />}
        </ActionIcon>
      )}
    </CopyButton>
  );
}
