// What operators changed in an app.

import { useParams, useSearch } from '@tanstack/react-router';
import { ActionsList } from '../audit/actions-list.tsx';
import { changesFields } from './fields.ts';

export function AppChanges() {
  const { packageName } = useParams({ from: '/frame/apps/$packageName' });
  const search = useSearch({ from: '/frame/apps/$packageName/changes' });
  return <ActionsList label="Changes" fields={changesFields} search={search} packageName={packageName} />;
}
