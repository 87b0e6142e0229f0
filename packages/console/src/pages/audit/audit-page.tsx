// The audit trail of the store, and the check that it was not edited.

import { Stack } from '@mantine/core';
import { useSearch } from '@tanstack/react-router';
import { PageHeading } from '../../parts/page-heading.tsx';
import { auditFields } from '../apps/fields.ts';
import { ActionsList } from './actions-list.tsx';
import { ChainCheck } from './chain-check.tsx';

export function AuditPage() {
  const search = useSearch({ from: '/frame/audit' });
  const { packageName } = search;
  return (
    <Stack gap="lg">
      <PageHeading title="Audit" />
      <ChainCheck key={packageName} packageName={packageName} />
      <ActionsList label="Actions" fields={auditFields} search={search} />
    </Stack>
  );
}
