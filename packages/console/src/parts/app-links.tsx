// Instead of a list that needs an app: its filters, and apps to choose from, each a link to the same page with this app.

import { Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { appsQuery, offeredAppsMax } from '../api/apps.ts';
import type { FilterFields, Search } from './filter-fields.ts';
import { FilterBar } from './filters.tsx';
import { ButtonLink } from './page-link.tsx';
import { PanelContent } from './panel.tsx';

interface AppLinksProps {
  readonly fields: FilterFields;
  readonly search: Search;
  /** Why an app is needed. */
  readonly text: string;
}

export function AppLinks({ fields, search, text }: AppLinksProps) {
  const apps = useQuery(appsQuery(''));
  return (
    <Stack gap="md">
      <FilterBar fields={fields} search={search} />
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
