// Whether something needs attention, in the bar of every page. It leads to the overview, which says what.

import { Anchor, type AnchorProps, Box } from '@mantine/core';
import { createLink } from '@tanstack/react-router';
import { useAttention, useAttentionCount } from '../api/overview.ts';
import { useObstacle } from '../api/permission.ts';
import { attentionTone } from '../parts/attention-tone.ts';
import { colors } from '../parts/colors.ts';
import { attentionText } from '../parts/count-text.ts';

export function HealthDot() {
  const count = useAttentionCount();
  const worst = useAttention().data?.rows[0];
  const isForbidden = useObstacle('listAttention') !== undefined;
  if (isForbidden) return null;
  const { text, color } = lookOf(count, worst?.kind);
  return (
    <OverviewLink to="/" className="health" c="inherit" aria-label={text} title={text}>
      <Box component="span" className="state-dot" bg={color} aria-hidden="true" />
      {count !== undefined && count > 0 && count}
    </OverviewLink>
  );
}

/** `worst` is the kind of the first row. */
function lookOf(count: number | undefined, worst: string | undefined) {
  if (count === undefined) return { text: 'What needs attention', color: colors.muted };
  if (worst === undefined) return { text: 'Everything is healthy', color: colors.good.text };
  return { text: attentionText(count), color: colors[attentionTone(worst)].text };
}

interface OverviewLinkProps extends AnchorProps {
  readonly title: string;
}

const OverviewLink = createLink((props: OverviewLinkProps) => <Anchor size="sm" fw={600} {...props} />);
