// The webhooks of the last 24 hours: a row for each app, and a cell for each hour with the share of failed attempts.

import { Box, Group, Text } from '@mantine/core';
import type { OperatorOperations } from '@opentill/client/operator';
import { useQuery } from '@tanstack/react-query';
import { worstWebhooksQuery } from '../../api/overview.ts';
import { colors } from '../../parts/colors.ts';
import { Empty } from '../../parts/empty.tsx';
import { ShortName } from '../../parts/long-text.tsx';
import { linkTo, PageLink } from '../../parts/page-link.tsx';
import { Panel } from '../../parts/panel.tsx';
import { serverNow } from '../../runtime/clock.ts';
import { hourMs } from '../../runtime/durations.ts';

type Webhook = Awaited<ReturnType<OperatorOperations['listWebhooks']>>['webhooks'][number];

const shownHours = 24;
const cell = { width: 10, height: 18, gap: 2 } as const;

export function WebhookHours() {
  const webhooks = useQuery(worstWebhooksQuery);
  const rows = webhooks.data?.webhooks ?? [];
  const thisHour = Math.floor(serverNow() / hourMs) * hourMs;
  return (
    <Panel title="Webhooks, 24 hours" note="red: failed attempts, gray: none" state={webhooks}>
      {rows.length === 0 && <Empty text="No app has a webhook." />}
      {rows.map((webhook) => (
        <Group key={webhook.packageName} justify="space-between" gap="xs">
          <PageLink {...linkTo.app(webhook.packageName, 'webhook')} size="sm">
            <ShortName text={webhook.packageName} />
          </PageLink>
          <Hours webhook={webhook} thisHour={thisHour} />
        </Group>
      ))}
    </Panel>
  );
}

interface HoursProps {
  readonly webhook: Webhook;
  readonly thisHour: number;
}

function Hours({ webhook: { packageName, hours }, thisHour }: HoursProps) {
  const known = new Map(hours.map((entry) => [entry.hour, entry]));
  const attempts = hours.reduce((sum, entry) => sum + entry.attempts, 0);
  const failed = hours.reduce((sum, entry) => sum + entry.failed, 0);
  return (
    <Box>
      <svg
        width={shownHours * (cell.width + cell.gap)}
        height={cell.height}
        role="img"
        aria-label={`${packageName}, last 24 hours: ${attempts} attempts, ${failed} failed`}
        style={{ display: 'block' }}
      >
        {Array.from({ length: shownHours }, (_, index) => {
          const hour = thisHour - (shownHours - 1 - index) * hourMs;
          const share = shareOf(known.get(hour));
          const x = index * (cell.width + cell.gap);
          return (
            <g key={hour}>
              <rect
                x={x}
                width={cell.width}
                height={cell.height}
                fill={share === undefined ? colors.line : colors.good.fill}
              />
              {share !== undefined && (
                <rect x={x} width={cell.width} height={cell.height * share} fill={colors.bad.fill} />
              )}
            </g>
          );
        })}
      </svg>
      <Text size="xs" c="dimmed">
        {failed} of {attempts} failed
      </Text>
    </Box>
  );
}

/** undefined: there was no attempt. */
function shareOf(entry: Webhook['hours'][number] | undefined): number | undefined {
  return entry === undefined || entry.attempts === 0 ? undefined : entry.failed / entry.attempts;
}
