// The apps by name, for those who have to choose one.

import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { client } from './client.ts';

/** The apps of which a choice shows the first; others are found by typing. */
export const offeredAppsMax = 20;

/** The active apps whose name or package name contains the text. */
export const appsQuery = (containing: string) =>
  queryOptions({
    queryKey: ['apps', 'choice', containing],
    queryFn: ({ signal }) =>
      client.listApps(
        { state: 'active', pageSize: offeredAppsMax, ...(containing !== '' && { containing }) },
        { signal },
      ),
    placeholderData: keepPreviousData,
  });
