// How many calls of the backend have come since they were last shown.

import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { requestsQuery } from '../../api/lab.ts';
import type { Search } from '../../parts/filters.tsx';
import { useLab } from './lab-context.ts';
import { requestFilterOf } from './request-fields.ts';

export function useNewRequests(search: Search, areShown: boolean): number {
  const { packageName } = useLab();
  const { data } = useQuery(requestsQuery({ packageName, ...requestFilterOf(search) }));
  const [seen, setSeen] = useState<number>();
  if (data === undefined) return 0;
  const newest = data.requests[0]?.time ?? 0;
  if (seen === undefined || (areShown && newest > seen)) setSeen(newest);
  return areShown ? 0 : data.requests.filter(({ time }) => time > (seen ?? newest)).length;
}
