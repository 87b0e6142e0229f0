// The stops of a mark that stands for several instants, each with a button that goes exactly there.

import { Button, Group, ScrollArea, Stack, Text } from '@mantine/core';
import { useTimeZone } from '../../parts/preferences.ts';
import type { DueStop } from '../../pictures/track-layout.ts';
import { clockText } from './clock-text.ts';
import { StopObject, stopWords } from './stop-object.tsx';

interface StopListProps {
  readonly stops: readonly DueStop[];
  readonly isDisabled: boolean;
  readonly onGo: (time: number) => void;
}

export function StopList({ stops, isDisabled, onGo }: StopListProps) {
  const timeZone = useTimeZone();
  return (
    <ScrollArea.Autosize mah="18rem">
      <Stack gap={4} component="ul" aria-label="Stops" p={0} m={0}>
        {stops.map((stop) => (
          <Group
            key={`${stop.time} ${stop.kind}`}
            component="li"
            gap="sm"
            wrap="nowrap"
            justify="space-between"
          >
            <Text size="sm" style={{ fontVariantNumeric: 'tabular-nums', whiteSpace: 'pre' }}>
              {clockText(stop.time, timeZone)}
            </Text>
            <Text size="sm" flex={1}>
              {stopWords([stop])} <StopObject stop={stop} />
              {stop.count > 1 && ' first'}
            </Text>
            <Button size="compact-xs" variant="default" disabled={isDisabled} onClick={() => onGo(stop.time)}>
              Go
            </Button>
          </Group>
        ))}
      </Stack>
    </ScrollArea.Autosize>
  );
}
