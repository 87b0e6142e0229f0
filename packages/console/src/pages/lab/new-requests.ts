// How many calls of the backend have come since they were last shown.

import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { requestsQuery } from '../../api/lab.ts';
import type { Search } from '../../parts/filter-fields.ts';
import { useLab } from './lab-context.ts';
import { requestFilterOf } from './request-fields.ts';

export function useNewRequests(search: Search, areShown: boolean): number {
  const { packageName } = useLab();
  const { data } = useQuery(requestsQuery({ packageName, ...requestFilterOf(search) }));
  const [seenId, setSeenId] = useState<string>();
  if (data === undefined) return 0;
  const ids = data.requests.map(({ requestId }) => requestId);
  const newestId = ids[0] ?? '';
  if (newestId !== seenId && (seenId === undefined || areShown)) setSeenId(newestId);
  if (areShown || seenId === undefined) return 0;
  const at = ids.indexOf(seenId);
  return at === -1 ? ids.length : at;
}
