// Checks that no action was changed, inserted or removed, in every chain of the store or in that of one app.

import { Alert, Button, Group, Progress, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { type CheckedChain, checkChains } from '../../api/chains.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { LongText, ShortName } from '../../parts/long-text.tsx';
import { Problem } from '../../parts/problem.tsx';
import { type Column, csvOfRecords, Records } from '../../parts/records.tsx';
import { State } from '../../parts/state.tsx';
import { download } from '../../runtime/download.ts';

export function ChainCheck({ packageName }: { readonly packageName: string | undefined }) {
  const [checked, setChecked] = useState<readonly CheckedChain[]>([]);
  const [count, setCount] = useState(0);
  const { mutate, isPending, isSuccess, error } = useMutation({
    mutationFn: () =>
      checkChains(packageName, (progress) => {
        setChecked(progress.checked);
        setCount(progress.count);
      }),
    onMutate: () => setChecked([]),
  });
  return (
    <Stack gap="sm" align="flex-start">
      <ActionButton
        operation="checkActions"
        label={packageName === undefined ? 'Check all chains' : 'Check the chain of the app'}
        variant="default"
        loading={isPending}
        onAct={mutate}
      />
      {isPending && count > 0 && (
        <Stack gap="xxs" w="100%" maw="var(--text-width)">
          <Text size="sm">
            {checked.length} of {count} chains checked
          </Text>
          <Progress value={(100 * checked.length) / count} aria-label="Chains checked" />
        </Stack>
      )}
      {error !== null && <Problem error={error} />}
      {isSuccess && <Verdict checked={checked} />}
      {isSuccess && <Heads checked={checked} />}
    </Stack>
  );
}

function isBroken({ firstBroken }: CheckedChain): boolean {
  return firstBroken !== undefined;
}

function Verdict({ checked }: { readonly checked: readonly CheckedChain[] }) {
  const broken = checked.filter(isBroken).length;
  const actions = checked.reduce((sum, { count }) => sum + count, 0);
  const chains = checked.length === 1 ? '1 chain' : `${checked.length} chains`;
  const counts = actions === 1 ? '1 action' : `${actions} actions`;
  return broken === 0 ? (
    <Alert color="good" role="status" title={`${checked.length} of ${chains}, ${counts}, intact`}>
      Every action is as it was recorded. Keep the heads: a later check must contain them.
    </Alert>
  ) : (
    <Alert color="bad" role="alert" title={`${broken} of ${chains} broken`}>
      An action was changed, inserted or removed.
    </Alert>
  );
}

const columns: readonly Column<CheckedChain>[] = [
  {
    title: 'Chain',
    name: 'packageName',
    cell: ({ packageName }) => <ShortName text={packageName ?? 'Actions without an app'} />,
  },
  { title: 'Actions', name: 'count', align: 'right' },
  {
    title: 'Result',
    name: 'firstBroken',
    cell: ({ firstBroken }) =>
      firstBroken === undefined ? (
        <State tone="good">intact</State>
      ) : (
        <State tone="bad">broken at action {firstBroken}</State>
      ),
  },
  { title: 'Head', name: 'head', cell: ({ head }) => <Head hash={head} /> },
];

function Head({ hash = '-' }: { readonly hash: string | undefined }) {
  return (
    <Text span size="xs" ff="monospace" c="dimmed">
      <LongText text={hash} />
    </Text>
  );
}

/** Broken chains first. */
function Heads({ checked }: { readonly checked: readonly CheckedChain[] }) {
  const rows = checked.toSorted((left, right) => Number(isBroken(right)) - Number(isBroken(left)));
  return (
    <Stack gap="xs" w="100%">
      <Records label="Chains" rows={rows} keyOf={({ packageName = '' }) => packageName} columns={columns} />
      <Group>
        <Button
          variant="default"
          onClick={() => download('chains.csv', 'text/csv', csvOfRecords(columns, rows))}
        >
          Save the heads as CSV
        </Button>
      </Group>
    </Stack>
  );
}
