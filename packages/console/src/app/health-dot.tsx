// Whether something needs attention, in the bar of every page. It leads to the overview, which says what.

import { Anchor, type AnchorProps } from '@mantine/core';
import { createLink } from '@tanstack/react-router';
import { attentionText, attentionTone, useAttention } from '../api/attention.ts';
import { useObstacle } from '../api/session.ts';
import { colors } from '../parts/colors.ts';
import { StateSymbol } from '../parts/states.tsx';

export function HealthDot() {
  const { data } = useAttention({ isPolled: true });
  const isForbidden = useObstacle('listAttention') !== undefined;
  if (isForbidden) return null;
  const count = data === undefined ? 0 : data.rows.length + data.more;
  const [worst] = data?.rows ?? [];
  const calm = data === undefined ? 'calm' : 'good';
  const tone = worst === undefined ? calm : attentionTone(worst.kind);
  const healthy = data === undefined ? 'What needs attention' : 'Everything is healthy';
  const text = worst === undefined ? healthy : attentionText(count);
  return (
    <OverviewLink to="/" className="health" c="inherit" title={text} aria-label={text}>
      <StateSymbol tone={tone} {...(tone !== 'calm' && { color: colors[tone].fill })} />
      {count > 0 && count}
    </OverviewLink>
  );
}

interface OverviewLinkProps extends AnchorProps {
  readonly title: string;
}

const OverviewLink = createLink((props: OverviewLinkProps) => <Anchor size="sm" fw={600} {...props} />);
