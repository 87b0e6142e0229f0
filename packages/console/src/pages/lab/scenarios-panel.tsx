// The scenarios: the calls of the chosen one, how far they are, and each as code.

import { Box, Button, Group, Loader, NativeSelect, Stack, Text } from '@mantine/core';
import { IconCheck, IconX } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { labProductsQuery } from '../../api/lab.ts';
import { latestEventsQuery } from '../../api/live-events.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { colors } from '../../parts/colors.ts';
import { Panel } from '../../parts/panel.tsx';
import { Problem } from '../../parts/problem.tsx';
import { CopyMenu } from './copy-menu.tsx';
import { useLab } from './lab-context.ts';
import { newPurchaseId } from './lab-ids.ts';
import { playScenario, type StepState } from './play-scenario.ts';
import { curlOfSteps, typescriptOfSteps } from './scenario-code.ts';
import { type ScenarioStep, scenarioNames, stepsOf } from './scenarios.ts';

/** For an app in which nothing has happened. */
const firstScenario = 'Void the second month';

export function ScenariosPanel() {
  const { packageName, products, isBusy, last } = useLab();
  const [name, setName] = useState(scenarioNames[0] ?? '');
  const [purchaseId, setPurchaseId] = useState(newPurchaseId);
  const { mutate, isPending: isRunning, variables, error, reset, states } = usePlay();
  const productOf = (type: string) => products.find((product) => product.type === type)?.productId;
  const of = {
    packageName,
    products: { one_time: productOf('one_time'), subscription: productOf('subscription') },
  };
  // A product that the scenario creates does not change its steps.
  const steps = variables?.steps ?? stepsOf(name, { ...of, purchaseId });
  const start = (chosen: string): void => {
    const next = newPurchaseId();
    setName(chosen);
    setPurchaseId(next);
    mutate({ steps: stepsOf(chosen, { ...of, purchaseId: next }), stopping: new AbortController() });
  };
  const stateOf = (at: number) =>
    states[at] ?? (variables === undefined || isRunning ? undefined : ({ kind: 'skipped' } as const));
  // The steps depend on the products.
  const state = useQuery(labProductsQuery(packageName));
  const events = useQuery(latestEventsQuery(packageName));
  const isNew = events.data?.events.length === 0;
  return (
    <Panel title="Scenarios" state={state}>
      <Stack gap="sm">
        {isNew && !isRunning && (
          <ActionButton
            operation="advanceClock"
            label="Play a purchase, a renewal and a void"
            command="Play a purchase, a renewal and a void"
            disabled={isBusy}
            onAct={() => start(firstScenario)}
          />
        )}
        <Group gap="xs" align="flex-end">
          <NativeSelect
            size="xs"
            label="Scenario"
            style={{ flex: '1 1 12rem' }}
            disabled={isRunning}
            value={name}
            data={scenarioNames}
            onChange={(event) => {
              setName(event.currentTarget.value);
              reset();
            }}
          />
          {isRunning ? (
            <Button size="xs" variant="default" onClick={() => variables?.stopping.abort()}>
              Stop
            </Button>
          ) : (
            <ActionButton
              size="xs"
              operation="advanceClock"
              label="Run scenario"
              command={`Run the scenario ${name}`}
              disabled={isBusy}
              onAct={() => start(name)}
            />
          )}
          <CopyMenu codes={{ curl: curlOfSteps(steps), TypeScript: typescriptOfSteps(steps) }} />
        </Group>
        {/* The panel of acts shows the error of an act. */}
        {error !== null && error !== last?.error && <Problem error={error} />}
        <Stack gap={6} component="ol" aria-label="Steps" p={0} m={0}>
          {steps.map((step, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a step is identified by its place
            <Step key={index} number={index + 1} step={step} state={stateOf(index)} />
          ))}
        </Stack>
      </Stack>
    </Panel>
  );
}

interface Played {
  readonly steps: readonly ScenarioStep[];
  readonly stopping: AbortController;
}

/** Plays scenarios, one at a time, and knows how far the latest one is. */
function usePlay() {
  const { packageName, act, setRunning } = useLab();
  const [states, setStates] = useState<Readonly<Record<number, StepState>>>({});
  const play = useMutation({
    mutationFn: ({ steps, stopping: { signal } }: Played) => {
      const onState = (at: number, state: StepState): void =>
        setStates((known) => ({ ...known, [at]: state }));
      return playScenario({ packageName, steps, act, onState, signal });
    },
    onMutate() {
      setStates({});
      setRunning(true);
    },
    onSettled: () => setRunning(false),
  });
  return { ...play, states: play.variables === undefined ? {} : states };
}

function stateText(state: StepState): string {
  return state.kind === 'unexpected' ? `expected ${state.expected}, was ${state.found}` : state.kind;
}

interface StepProps {
  readonly number: number;
  readonly step: ScenarioStep;
  readonly state: StepState | undefined;
}

function Step({ number, step, state }: StepProps) {
  const operation = step.kind === 'call' ? step.call({}).operation : step.operation;
  const isWrong = state?.kind === 'failed' || state?.kind === 'unexpected';
  return (
    <Group component="li" gap="xs" wrap="nowrap" align="flex-start" style={{ listStyle: 'none' }}>
      <Box w={20} pt={2} style={{ flexShrink: 0 }}>
        {state?.kind === 'done' && <IconCheck size={16} />}
        {isWrong && <IconX size={16} color={colors.bad.text} />}
        {state?.kind === 'running' && <Loader size={14} aria-label="Running" />}
      </Box>
      <Stack gap={4} style={{ minWidth: 0, flex: 1 }} align="flex-start">
        <Text size="sm">
          {number}. {step.says}
          {state !== undefined && state.kind !== 'running' && (
            <Text span size="xs" c={isWrong ? 'bad' : 'dimmed'}>
              {' '}
              {stateText(state)}
            </Text>
          )}
        </Text>
        {step.kind === 'backend' && (
          <Text size="xs" c="dimmed">
            {state?.kind === 'running'
              ? 'Waiting for this call of your backend, with its own token.'
              : 'Your backend makes this call, with its own token.'}
          </Text>
        )}
        <Text size="xs" ff="monospace" c="dimmed">
          {operation}
        </Text>
      </Stack>
    </Group>
  );
}
