// Apps to choose from, on a page that needs one: each is a link to the same page with this app.

import { Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { appsQuery, offeredAppsMax } from '../api/apps.ts';
import type { Search } from './filter-fields.ts';
import { ButtonLink } from './page-link.tsx';
import { PanelContent } from './panel.tsx';

interface AppLinksProps {
  /** Why an app is needed. */
  readonly text: string;
  readonly search: Search;
}

export function AppLinks({ text, search }: AppLinksProps) {
  const apps = useQuery(appsQuery(''));
  return (
    <Stack gap="sm">
      <Text size="sm">{text}</Text>
      <PanelContent state={apps}>
        <Group gap="xs">
          {apps.data?.apps.map(({ packageName, name }) => (
            <ButtonLink
              key={packageName}
              to="."
              search={{ ...search, packageName, pageToken: undefined }}
              size="xs"
              variant="default"
            >
              <bdi>{name ?? packageName}</bdi>
            </ButtonLink>
          ))}
        </Group>
        {apps.data?.nextPageToken !== undefined && (
          <Text size="xs" c="dimmed">
            The first {offeredAppsMax}: type a part of the name in the filter to find others.
          </Text>
        )}
      </PanelContent>
    </Stack>
  );
}
