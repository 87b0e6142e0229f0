// The icon of the window has the color of the environment.

import { isProduction } from '../runtime/page.ts';

const color = isProduction ? '#1f1f1f' : '#087f5b';

const icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="3" fill="${color}"/><path d="M4 5h8M4 8h8M4 11h5" stroke="#fff" stroke-width="1.5"/></svg>`;

export function setFavicon(): void {
  const link = document.createElement('link');
  link.rel = 'icon';
  link.href = `data:image/svg+xml,${encodeURIComponent(icon)}`;
  document.head.append(link);
}
