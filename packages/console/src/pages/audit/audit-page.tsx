// The audit trail of the store, and the check that it was not edited.

import { Alert, Stack } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { client } from '../../api/client.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { LongText } from '../../parts/long-text.tsx';
import { PageHeading } from '../../parts/page-heading.tsx';
import { Problem } from '../../parts/problem.tsx';
import { auditFields } from '../apps/fields.ts';
import { ActionsList } from './actions-list.tsx';

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

/** Each app has a chain of its own, and so have the actions without an app. */
function ChainCheck({ packageName }: { readonly packageName: string | undefined }) {
  const chain = packageName ?? 'the actions without an app';
  const { mutate, isPending, data, error } = useMutation({
    mutationFn: () => client.checkActions({ packageName }),
  });
  return (
    <Stack gap="xs" align="flex-start">
      <ActionButton
        operation="checkActions"
        label={packageName === undefined ? 'Check the chain of the store' : 'Check the chain of the app'}
        variant="default"
        loading={isPending}
        onAct={mutate}
      />
      {error !== null && <Problem error={error} />}
      {data !== undefined && data.firstBroken === undefined && (
        <Alert color="good" role="status" title="The chain is intact">
          {data.count} actions of <LongText text={chain} /> are as they were recorded.
          {data.head !== undefined && (
            <>
              {' '}
              The hash of the latest is <LongText text={data.head} />.
            </>
          )}
        </Alert>
      )}
      {data?.firstBroken !== undefined && (
        <Alert color="bad" role="alert" title="The chain is broken">
          Action {data.firstBroken} of <LongText text={chain} /> was changed, inserted or removed.
        </Alert>
      )}
    </Stack>
  );
}
