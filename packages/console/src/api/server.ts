// What the settings read of the servers.

import { queryOptions } from '@tanstack/react-query';
import { client } from './client.ts';

export const serverStatusQuery = queryOptions({
  queryKey: ['server-status'],
  queryFn: ({ signal }) => client.getServerStatus({}, { signal }),
});
