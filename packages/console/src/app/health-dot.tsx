// Whether something needs attention, in the bar of every page. It leads to the overview, which says what.

import { Anchor, type AnchorProps, Box } from '@mantine/core';
import { createLink } from '@tanstack/react-router';
import { useAttention } from '../api/overview.ts';
import { useObstacle } from '../api/permission.ts';
import { attentionTone } from '../parts/attention-tone.ts';
import { colors } from '../parts/colors.ts';
import { attentionText } from '../parts/count-text.ts';

export function HealthDot() {
  const { data } = useAttention();
  const isForbidden = useObstacle('listAttention') !== undefined;
  if (isForbidden) return null;
  const { text, color, count } = lookOf(data);
  return (
    <OverviewLink to="/" className="health" c="inherit" aria-label={text} title={text}>
      <Box component="span" className="state-dot" bg={color} aria-hidden="true" />
      {count}
    </OverviewLink>
  );
}

/** In the color of the worst. */
function lookOf(attention: ReturnType<typeof useAttention>['data']) {
  if (attention === undefined) return { text: 'What needs attention', color: colors.muted };
  const { rows, more } = attention;
  const [worst] = rows;
  if (worst === undefined) return { text: 'Everything is healthy', color: colors.good.text };
  const count = rows.length + more;
  return { text: attentionText(count), color: colors[attentionTone(worst.kind)].text, count };
}

interface OverviewLinkProps extends AnchorProps {
  readonly title: string;
}

const OverviewLink = createLink((props: OverviewLinkProps) => <Anchor size="sm" fw={600} {...props} />);
