// The icons of the console, drawn in the color of the text.

import type { ReactNode } from 'react';

function Icon({ children }: { readonly children: ReactNode }) {
  return (
    <svg
      width="16"
      height="16"
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.5"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      {children}
    </svg>
  );
}

export function CopyIcon() {
  return (
    <Icon>
      <rect x="5.5" y="5.5" width="8" height="8" rx="1.5" />
      <path d="M10.5 5.5v-2a1 1 0 0 0-1-1h-6a1 1 0 0 0-1 1v6a1 1 0 0 0 1 1h2" />
    </Icon>
  );
}

export function CheckIcon() {
  return (
    <Icon>
      <path d="m3 8.5 3.5 3.5L13 4.5" />
    </Icon>
  );
}

export function ChevronIcon() {
  return (
    <Icon>
      <path d="m4 6 4 4 4-4" />
    </Icon>
  );
}

export function OverviewIcon() {
  return (
    <Icon>
      <rect x="2.5" y="2.5" width="4.5" height="5" rx="1" />
      <rect x="9" y="2.5" width="4.5" height="3" rx="1" />
      <rect x="2.5" y="9.5" width="4.5" height="4" rx="1" />
      <rect x="9" y="7.5" width="4.5" height="6" rx="1" />
    </Icon>
  );
}

export function BookIcon() {
  return (
    <Icon>
      <path d="M8 4C6.5 3 4.5 3 2.5 3.5V13c2-.5 4-.5 5.5.5V4Zm0 0c1.5-1 3.5-1 5.5-.5V13c-2-.5-4-.5-5.5.5" />
    </Icon>
  );
}
