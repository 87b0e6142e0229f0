// Whether something needs attention: one sentence if nothing does, or else what, worst first.

import { Group, Stack, Text } from '@mantine/core';
import {
  type AttentionRow,
  attentionFacts,
  attentionText,
  attentionTone,
  useAttention,
} from '../../api/attention.ts';
import { linkTo, PageLink } from '../../parts/page-link.tsx';
import { Panel } from '../../parts/panel.tsx';
import { State } from '../../parts/states.tsx';
import { isProduction } from '../../runtime/page.ts';
import { Instant, secondsFormat, TimeFormatContext } from '../../values/instant.tsx';
import { ShortName } from '../../values/long-text.tsx';
import { countText, numberText } from '../../values/quantity-text.ts';

/** Further rows are a number. */
const shownMax = 5;

export function Verdict() {
  const attention = useAttention();
  const { rows = [], more = 0, checkedAt } = attention.data ?? {};
  const count = rows.length + more;
  const hidden = Math.max(0, rows.length - shownMax) + more;
  const isHealthy = attention.data !== undefined && attention.error === null && count === 0;
  const aside = (
    <Text size="xs" c="dimmed">
      {isProduction ? 'all apps' : 'all apps, by real time'}
      {checkedAt !== undefined && (
        <TimeFormatContext value={secondsFormat}>
          , as of <Instant ms={checkedAt} />
        </TimeFormatContext>
      )}
    </Text>
  );
  return (
    <Panel
      title={count === 0 ? 'Attention' : attentionText(count)}
      {...(isHealthy && { note: <State tone="good">Everything is healthy</State> })}
      aside={aside}
      state={attention}
    >
      {!isHealthy && (
        <Stack component="ul" aria-label="Attention" gap="sm" m={0} p={0} style={{ listStyle: 'none' }}>
          {rows.slice(0, shownMax).map((row) => (
            <Row key={`${row.kind} ${row.packageName} ${JSON.stringify(row.target)}`} row={row} />
          ))}
          {hidden > 0 && <li>and {numberText(hidden)} more</li>}
        </Stack>
      )}
    </Panel>
  );
}

function Row({ row }: { readonly row: AttentionRow }) {
  const { kind, packageName, count, since, reason, target } = row;
  const { title, meaning, counts } = attentionFacts(kind);
  return (
    <Group component="li" gap="sm" align="baseline" data-record>
      <State tone={attentionTone(kind)}>{title}</State>
      {packageName !== undefined && packageName !== '' && (
        <Text size="sm" span>
          <ShortName text={packageName} />
        </Text>
      )}
      <Text size="sm" span>
        {counts !== undefined && `${countText(count)} ${count === 1 ? counts.replace(/s$/, '') : counts} `}
        {since !== undefined && (
          <>
            since <Instant ms={since} />
          </>
        )}
        {reason !== undefined && `: ${reason}`}
      </Text>
      <span title={meaning}>{target !== undefined && <PageLink {...linkOf(target)}>Show</PageLink>}</span>
    </Group>
  );
}

function linkOf(target: NonNullable<AttentionRow['target']>) {
  switch (target.page) {
    case 'deliveries':
      return { ...linkTo.app(target.packageName, 'webhook'), search: { state: target.state } };
    case 'subscriptions':
      return {
        to: '/subscriptions',
        search: { packageName: target.packageName, state: target.state },
      } as const;
    case 'subscription':
      return linkTo.subscription(target);
    case 'renewals':
      return target.packageName === undefined
        ? ({ to: '/settings' } as const)
        : linkTo.app(target.packageName, 'settings');
  }
}
