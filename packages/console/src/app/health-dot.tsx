// Whether something needs attention, in the bar of every page. It leads to the overview, which says what.

import { Anchor, type AnchorProps, Box } from '@mantine/core';
import { createLink } from '@tanstack/react-router';
import { useAttentionCount } from '../api/overview.ts';
import { useObstacle } from '../api/permission.ts';
import { colors } from '../parts/colors.ts';
import { attentionText } from '../parts/count-text.ts';

export function HealthDot() {
  const count = useAttentionCount();
  const isForbidden = useObstacle('listAttention') !== undefined;
  if (isForbidden) return null;
  const { text, color } = lookOf(count);
  return (
    <OverviewLink to="/" className="health" c="inherit" aria-label={text} title={text}>
      <Box component="span" className="state-dot" bg={color} aria-hidden="true" />
      {count !== undefined && count > 0 && count}
    </OverviewLink>
  );
}

function lookOf(count: number | undefined) {
  if (count === undefined) return { text: 'What needs attention', color: colors.muted };
  if (count === 0) return { text: 'Everything is healthy', color: colors.good.text };
  return { text: attentionText(count), color: colors.bad.text };
}

interface OverviewLinkProps extends AnchorProps {
  readonly title: string;
}

const OverviewLink = createLink((props: OverviewLinkProps) => <Anchor size="sm" fw={600} {...props} />);
