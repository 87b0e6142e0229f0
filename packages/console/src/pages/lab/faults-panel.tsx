// The faults of the app in the order in which they are checked, and those that are worth testing. Each change replaces the
// whole list, which starts its counts again.

import { ActionIcon, Group, NativeSelect, Stack, Text } from '@mantine/core';
import type { Faults, NewFault } from '@opentill/client/operator';
import { IconX } from '@tabler/icons-react';
import { useState } from 'react';
import { useIsReader, useObstacle } from '../../api/session.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { Panel } from '../../parts/panel.tsx';
import { secondMs } from '../../runtime/durations.ts';
import { useLab, useLabQuery } from './lab-context.ts';

const faultPresets: Readonly<Record<string, NewFault>> = {
  'Consume: the response is lost once': { operation: 'consumePurchase', cut: 'after', times: 1 },
  'Consume: two records once (9202)': { operation: 'consumePurchase', code: 9202, times: 1 },
  'Read: 503 twice': { operation: 'getPurchaseDetails', httpStatus: 503, times: 2 },
  'Read: 401 once': { operation: 'getPurchaseDetails', code: 401, times: 1 },
  'Token: 5 seconds late': { operation: 'getAccessToken', delayMs: 5_000 },
  'Charge: declined twice': { operation: 'charge', outcome: 'declined', times: 2 },
  'Charge: declined for good': { operation: 'charge', outcome: 'declinedFinal', times: 1 },
  'Charge: pending once': { operation: 'charge', outcome: 'pending', times: 1 },
  'Charge: no answer once': { operation: 'charge', outcome: 'noAnswer', times: 1 },
};

type Fault = Faults['faults'][number];

/** The effect of the fault on a call. */
function effectText({ code, httpStatus, delayMs, cut, outcome }: NewFault): string {
  const effects = [
    code !== undefined && `error ${code}`,
    httpStatus !== undefined && `HTTP ${httpStatus}`,
    cut === 'before' && 'the connection closes before the operation',
    cut === 'after' && 'the operation runs, and its response is lost',
    outcome?.replaceAll('_', ' '),
    delayMs !== undefined && `${delayMs / secondMs} s late`,
  ];
  return effects.filter((effect) => typeof effect === 'string').join(', ');
}

/** The fault in the form of putFaults. */
function newFaultOf({ applied: _applied, ...fault }: Fault): NewFault {
  return fault;
}

export function FaultsPanel() {
  const { packageName, isBusy, start } = useLab();
  const query = useLabQuery('getFaults', { packageName });
  const faults = query.data?.faults ?? [];
  const [preset, setPreset] = useState(Object.keys(faultPresets)[0] ?? '');
  const put = (list: readonly NewFault[]): void => start('putFaults', { faults: [...list] });
  const add = (): void => {
    const added = faultPresets[preset];
    if (added !== undefined) put([...faults.map(newFaultOf), added]);
  };
  return (
    <Panel title="Faults" note="The first that applies to a call is injected" state={query}>
      <Stack gap="xs">
        {faults.length === 0 && (
          <Text size="sm" c="dimmed">
            There are no faults: every call gets its usual response.
          </Text>
        )}
        <FaultList faults={faults} put={put} />
        <Group gap="xs" align="flex-end">
          <NativeSelect
            size="xs"
            label="Preset"
            style={{ flex: '1 1 12rem' }}
            value={preset}
            data={Object.keys(faultPresets)}
            onChange={(event) => setPreset(event.currentTarget.value)}
          />
          <ActionButton variant="default" operation="putFaults" label="Add" disabled={isBusy} onAct={add} />
        </Group>
      </Stack>
    </Panel>
  );
}

interface FaultListProps {
  readonly faults: readonly Fault[];
  readonly put: (list: readonly NewFault[]) => void;
}

function FaultList({ faults, put }: FaultListProps) {
  const { isBusy } = useLab();
  const isReader = useIsReader();
  const isForbidden = useObstacle('putFaults') !== undefined;
  const list = faults.map(newFaultOf);
  const shared = { variant: 'subtle', color: 'gray', size: 'sm', disabled: isBusy || isForbidden } as const;
  return (
    <Stack gap={0} component="ol" aria-label="Faults" p={0} m={0}>
      {faults.map((fault, index) => {
        const name = `fault ${index + 1}`;
        return (
          <Group
            // biome-ignore lint/suspicious/noArrayIndexKey: a fault is identified by its place
            key={index}
            component="li"
            gap="xs"
            wrap="nowrap"
            py={4}
            style={{ borderBottom: '1px solid var(--mantine-color-default-border)' }}
          >
            <div style={{ flex: 1, minWidth: 0 }}>
              <Text size="sm">
                {index + 1}. {fault.operation}: {effectText(fault)}
              </Text>
              <Text size="xs" c="dimmed">
                applied {fault.applied}
                {fault.times !== undefined && ` of ${fault.times}`}
              </Text>
            </div>
            {!isReader && (
              <ActionIcon
                {...shared}
                aria-label={`Remove ${name}`}
                onClick={() => put(list.toSpliced(index, 1))}
              >
                <IconX size={16} />
              </ActionIcon>
            )}
          </Group>
        );
      })}
    </Stack>
  );
}
