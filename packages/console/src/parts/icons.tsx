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

export function CodeIcon() {
  return (
    <Icon>
      <path d="M5.5 4 2 8l3.5 4M10.5 4 14 8l-3.5 4" />
    </Icon>
  );
}

export function FindIcon() {
  return (
    <Icon>
      <circle cx="7" cy="7" r="4.5" />
      <path d="m10.5 10.5 3 3" />
    </Icon>
  );
}

export function LabIcon() {
  return (
    <Icon>
      <path d="M6 2.5h4M6.5 2.5v4l-3.8 5.6a1 1 0 0 0 .8 1.4h9a1 1 0 0 0 .8-1.4L9.5 6.5v-4M4.5 10h7" />
    </Icon>
  );
}

export function UpIcon() {
  return (
    <Icon>
      <path d="m4 10 4-4 4 4" />
    </Icon>
  );
}

export function RemoveIcon() {
  return (
    <Icon>
      <path d="m4 4 8 8M12 4l-8 8" />
    </Icon>
  );
}

export function SubscriptionIcon() {
  return (
    <Icon>
      <path d="M13 6.5A5.2 5.2 0 0 0 3.6 5M3 9.5A5.2 5.2 0 0 0 12.4 11M3.5 2.5V5H6M12.5 13.5V11H10" />
    </Icon>
  );
}

export function AppsIcon() {
  return (
    <Icon>
      <rect x="4.5" y="1.5" width="7" height="13" rx="1.5" />
      <path d="M7.5 12h1" />
    </Icon>
  );
}

export function WebhookIcon() {
  return (
    <Icon>
      <path d="M2 8h9m-3.5-3.5L11 8l-3.5 3.5M14 3v10" />
    </Icon>
  );
}

export function AuditIcon() {
  return (
    <Icon>
      <path d="M3 2.5h7l3 3v8H3zM5.5 8h5m-5 2.5h5" />
    </Icon>
  );
}

export function SettingsIcon() {
  return (
    <Icon>
      <path d="M2.5 4.5h5m3 0h3m-11 7h3m3 0h5" />
      <circle cx="9" cy="4.5" r="1.5" />
      <circle cx="7" cy="11.5" r="1.5" />
    </Icon>
  );
}
