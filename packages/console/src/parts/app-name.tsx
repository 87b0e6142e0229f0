// The name of an app with its package name, and whether it is disabled.

import { Group, Stack, Text } from '@mantine/core';
import { Id } from './id.tsx';
import { ShortName } from './long-text.tsx';
import { type AppTab, linkTo, PageLink } from './page-link.tsx';
import { State } from './state.tsx';

/** To the changes of an app, from one of them. */
export function ChangesLink({ packageName }: { readonly packageName: string }) {
  return (
    <PageLink {...linkTo.app(packageName, 'changes')} inherit>
      <ShortName text={packageName} />
    </PageLink>
  );
}

interface AppNameProps {
  readonly app: {
    readonly packageName: string;
    readonly name?: string | undefined;
    readonly disabled: boolean;
  };
  /** The tab of the app that it links to. */
  readonly tab?: AppTab;
}

export function AppName({ app: { packageName, name, disabled }, tab }: AppNameProps) {
  return (
    <Stack gap="xxs" align="flex-start">
      {(name !== undefined || disabled) && (
        <Group gap="xs">
          <Text size="sm" fw={500} component="bdi" style={{ overflowWrap: 'anywhere' }}>
            {name ?? packageName}
          </Text>
          {disabled && <State>disabled</State>}
        </Group>
      )}
      <Id value={packageName} what="package name" wraps link={linkTo.app(packageName, tab)} />
    </Stack>
  );
}
