// The faults of the app in the order in which they are checked. Each change replaces the whole list, which starts its
// counts again.

import { ActionIcon, Group, NativeSelect, Stack, Text, Textarea } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { NewFault } from '@opentill/client/operator';
import { IconX } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { faultsQuery, labCall } from '../../api/lab.ts';
import { useObstacle } from '../../api/permission.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { ChangeDialog } from '../../parts/change-dialog.tsx';
import { Panel } from '../../parts/panel.tsx';
import { effectText, type Fault, faultPresets, newFaultOf } from './fault-presets.ts';
import { useLab } from './lab-context.ts';

const buttonProps = { size: 'xs', variant: 'default' } as const;

export function FaultsPanel() {
  const { packageName, isBusy, start } = useLab();
  const query = useQuery(faultsQuery(packageName));
  const faults = query.data?.faults ?? [];
  const [preset, setPreset] = useState(Object.keys(faultPresets)[0] ?? '');
  const [isEditing, editing] = useDisclosure();
  const put = (list: readonly NewFault[]): void =>
    start(labCall('putFaults', { packageName, faults: [...list] }));
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
          <ActionButton {...buttonProps} operation="putFaults" label="Add" disabled={isBusy} onAct={add} />
          <ActionButton
            {...buttonProps}
            operation="putFaults"
            label="Edit as JSON"
            disabled={isBusy}
            onAct={editing.open}
          />
        </Group>
      </Stack>
      <FaultsDialog key={String(isEditing)} faults={faults} isOpen={isEditing} onClose={editing.close} />
    </Panel>
  );
}

interface FaultListProps {
  readonly faults: readonly Fault[];
  readonly put: (list: readonly NewFault[]) => void;
}

function FaultList({ faults, put }: FaultListProps) {
  const { isBusy } = useLab();
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
            <ActionIcon
              {...shared}
              aria-label={`Remove ${name}`}
              onClick={() => put(list.toSpliced(index, 1))}
            >
              <IconX size={16} />
            </ActionIcon>
          </Group>
        );
      })}
    </Stack>
  );
}

interface FaultsDialogProps {
  readonly faults: readonly Fault[];
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

function FaultsDialog({ faults, isOpen, onClose }: FaultsDialogProps) {
  const { packageName, act } = useLab();
  const [text, setText] = useState(() => JSON.stringify(faults.map(newFaultOf), null, 2));
  const list = listOf(text);
  return (
    <ChangeDialog
      title="Edit the faults"
      isOpen={isOpen}
      confirmLabel={`Replace the faults of ${packageName}`}
      isBlocked={list === undefined}
      change={() => act(labCall('putFaults', { packageName, faults: list ?? [] }))}
      onDone={onClose}
      onClose={onClose}
    >
      <Textarea
        label="Faults"
        description="A list as putFaults takes it, described in the API reference."
        autosize
        minRows={8}
        maxRows={20}
        data-autofocus
        value={text}
        error={list === undefined ? 'Expected a JSON list.' : undefined}
        onChange={(event) => setText(event.currentTarget.value)}
      />
    </ChangeDialog>
  );
}

/** The server checks the entries. */
function listOf(text: string): NewFault[] | undefined {
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) ? list : undefined;
  } catch {
    return undefined;
  }
}
