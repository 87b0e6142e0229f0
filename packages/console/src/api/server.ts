// What the settings read of the servers: their status, and the open sessions.

import { queryOptions } from '@tanstack/react-query';
import { client } from './client.ts';

export const serverStatusQuery = queryOptions({
  queryKey: ['server-status'],
  queryFn: ({ signal }) => client.getServerStatus({}, { signal }),
});

export const sessionsQuery = queryOptions({
  queryKey: ['sessions'],
  queryFn: ({ signal }) => client.listSessions({}, { signal }),
});
