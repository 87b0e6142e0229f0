// The title of the window, which names the environment like the frame does, and counts what needs attention.

import { useDocumentTitle } from '@mantine/hooks';
import { useAttentionCount } from '../api/overview.ts';
import { isProduction } from '../runtime/page.ts';

const suffix = ` - OpenTill ${isProduction ? 'production' : 'sandbox'}`;
const counted = /^\(\d+\) /;

export function usePageTitle(page: string): void {
  const count = useAttentionCount() ?? 0;
  useDocumentTitle((count === 0 ? '' : `(${count}) `) + page + suffix);
}

export function pageOfTitle(title: string): string {
  return title.replace(counted, '').replace(suffix, '');
}
