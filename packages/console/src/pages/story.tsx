// What happened to a purchase or a subscription, oldest first: each change with its author, the reason that was given for it,
// the charge that it reports, and its way to the webhook.

import { Box, Button, Group, NativeSelect, Stack, Text } from '@mantine/core';
import type { PurchaseWithHistory } from '@opentill/client/operator';
import { type ReactNode, useState } from 'react';
import { Author } from '../parts/author.tsx';
import { optionsOf } from '../parts/change-fields.tsx';
import { eventText } from '../parts/event-labels.ts';
import { linkTo, PageLink } from '../parts/page-link.tsx';
import { Panel, type PanelState } from '../parts/panel.tsx';
import { reasonText } from '../parts/reason.tsx';
import { Sentence } from '../parts/sentence.tsx';
import { DeliveryState, lastResponseOf } from '../parts/states.tsx';
import { isProduction } from '../runtime/page.ts';
import { Instant, secondsFormat, TimeFormatContext, useInstantText } from '../values/instant.tsx';
import { counted } from '../values/quantity-text.ts';

export type HistoryEvent = PurchaseWithHistory['history'][number];

export interface StoryEntry {
  readonly key: string;
  /** An instant of the app. */
  readonly time: number;
  readonly sentence: string;
  /** The name of the event in the API. */
  readonly name?: string;
  readonly madeBy?: string;
  readonly children: ReactNode;
}

const consentWords = {
  awaited: 'until the customer consents',
  given: 'the customer consented',
} as const;

/** `more` follows the reason. */
export function eventEntry(event: HistoryEvent, packageName: string, more?: ReactNode): StoryEntry {
  const { id, type, eventTime, madeBy, consent, expiryReason = consent && consentWords[consent] } = event;
  return {
    ...{ key: id, time: eventTime, name: type, madeBy },
    sentence: expiryReason === undefined ? eventText(type) : `${eventText(type)}: ${expiryReason}`,
    children: (
      <>
        <Reason event={event} />
        {more}
        <Sent event={event} packageName={packageName} />
      </>
    ),
  };
}

function Reason({ event }: { readonly event: HistoryEvent }) {
  const text = reasonText(event);
  return text && <Text size="sm">{text}</Text>;
}

interface SentProps {
  readonly event: HistoryEvent;
  readonly packageName: string;
}

function Sent({ event: { id, delivery }, packageName }: SentProps) {
  const at = useInstantText();
  if (delivery === undefined) return null;
  const { state, attempts, dueTime } = delivery;
  const facts = [
    lastResponseOf({ attempts: attempts === 0 ? [] : [delivery] }),
    attempts > 1 && `${attempts} attempts`,
    dueTime !== undefined && `next ${at(dueTime)}`,
  ];
  return (
    <Group gap="xs" fz="sm">
      <PageLink {...linkTo.delivery(packageName, id)}>Webhook</PageLink>
      <DeliveryState state={state} />
      <Text span size="sm" c="dimmed">
        {facts.filter(Boolean).join(', ')}
      </Text>
    </Group>
  );
}

/** The newest entries, which are shown at first. */
const shownMax = 20;

interface StoryProps {
  readonly state: PanelState;
  /** Oldest first. */
  readonly entries: readonly StoryEntry[];
  /** The subject whose first events were removed; undefined if the story has its beginning. */
  readonly removed?:
    | { readonly packageName: string; readonly subject: string; readonly isMoved: boolean }
    | undefined;
  /** The kinds of entries by which the story is filtered. */
  readonly kinds?: Readonly<Record<string, string>>;
  readonly kind?: string | undefined;
  readonly onKind?: (kind: string) => void;
}

export function Story({ state, entries, removed, kinds, kind = '', onKind }: StoryProps) {
  const [isWhole, setWhole] = useState(false);
  const hidden = isWhole ? 0 : Math.max(0, entries.length - shownMax);
  return (
    <Panel
      title="What happened"
      note={isProduction ? 'oldest first' : 'oldest first, app time'}
      state={state}
    >
      {kinds !== undefined && (
        <NativeSelect
          size="xs"
          aria-label="Kind"
          value={kind}
          data={optionsOf({ '': 'Everything', ...kinds })}
          onChange={(event) => onKind?.(event.currentTarget.value)}
          style={{ alignSelf: 'flex-start' }}
        />
      )}
      {hidden > 0 && (
        <Button variant="default" onClick={() => setWhole(true)} style={{ alignSelf: 'flex-start' }}>
          Show {counted(hidden, 'earlier entry', 'earlier entries')}
        </Button>
      )}
      {removed !== undefined && (
        <Text size="sm" c="dimmed">
          {removed.isMoved ? 'Moved here without its history.' : 'Earlier events are no longer retained.'}{' '}
          <PageLink {...linkTo.audit(removed.packageName, removed.subject)} inherit underline="always">
            What operators did
          </PageLink>
        </Text>
      )}
      {entries.length === 0 && removed === undefined && <Text size="sm">Nothing of this kind.</Text>}
      <TimeFormatContext value={secondsFormat}>
        <Stack component="ol" aria-label="What happened" gap="sm" m={0} p={0} style={{ listStyle: 'none' }}>
          {entries.slice(hidden).map(({ key, ...entry }) => (
            <Entry key={key} {...entry} />
          ))}
        </Stack>
      </TimeFormatContext>
    </Panel>
  );
}

function Entry({ time, sentence, name = '', madeBy, children }: Omit<StoryEntry, 'key'>) {
  return (
    <Group component="li" gap="md" align="flex-start" style={{ rowGap: 0 }}>
      <Box fz="sm" c="dimmed" miw={200}>
        <Instant ms={time} />
      </Box>
      <Stack gap="xxs" style={{ flex: '1 1 240px', minWidth: 0 }}>
        <Sentence name={name}>
          <b>{sentence}</b>
          {madeBy !== undefined && (
            <>
              {' '}
              by <Author madeBy={madeBy} />
            </>
          )}
        </Sentence>
        {children}
      </Stack>
    </Group>
  );
}
