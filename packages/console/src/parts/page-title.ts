// The title of the window, which names the environment like the frame does.

import { useDocumentTitle } from '@mantine/hooks';
import { isProduction } from '../runtime/page.ts';

export function usePageTitle(page: string): void {
  useDocumentTitle(`${page} - OpenTill ${isProduction ? 'production' : 'sandbox'}`);
}
