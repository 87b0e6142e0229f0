// The icon of the window has the color of the environment, and a red dot while something needs attention.

import { isProduction } from '../runtime/page.ts';
import { brandColor } from './theme.ts';

const color = isProduction ? brandColor.production : brandColor.sandbox;

const dot = `<circle cx="12" cy="4" r="4" fill="${brandColor.attention}" stroke="#fff"/>`;

export function iconOf(needsAttention: boolean): string {
  const icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="3" fill="${color}"/><path d="M4 5h8M4 8h8M4 11h5" stroke="#fff" stroke-width="1.5"/>${needsAttention ? dot : ''}</svg>`;
  return `data:image/svg+xml,${encodeURIComponent(icon)}`;
}
