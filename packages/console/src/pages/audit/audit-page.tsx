// The audit trail of the store.

import { Stack } from '@mantine/core';
import { useSearch } from '@tanstack/react-router';
import { PageHeading } from '../../parts/page-heading.tsx';
import { auditFields } from '../apps/fields.ts';
import { ActionsList } from './actions-list.tsx';

export function AuditPage() {
  const search = useSearch({ from: '/frame/audit' });
  return (
    <Stack gap="lg">
      <PageHeading title="Audit" />
      <ActionsList label="Actions" fields={auditFields} search={search} />
    </Stack>
  );
}
