// The icons of the console, drawn in the color of the text.

import type { ReactNode } from 'react';

function iconOf(shapes: ReactNode) {
  return () => (
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
      {shapes}
    </svg>
  );
}

export const CopyIcon = iconOf(
  <>
    <rect x="5.5" y="5.5" width="8" height="8" rx="1.5" />
    <path d="M10.5 5.5v-2a1 1 0 0 0-1-1h-6a1 1 0 0 0-1 1v6a1 1 0 0 0 1 1h2" />
  </>,
);
export const CheckIcon = iconOf(<path d="m3 8.5 3.5 3.5L13 4.5" />);
export const ChevronIcon = iconOf(<path d="m4 6 4 4 4-4" />);
export const OverviewIcon = iconOf(
  <>
    <rect x="2.5" y="2.5" width="4.5" height="5" rx="1" />
    <rect x="9" y="2.5" width="4.5" height="3" rx="1" />
    <rect x="2.5" y="9.5" width="4.5" height="4" rx="1" />
    <rect x="9" y="7.5" width="4.5" height="6" rx="1" />
  </>,
);
export const BookIcon = iconOf(
  <path d="M8 4C6.5 3 4.5 3 2.5 3.5V13c2-.5 4-.5 5.5.5V4Zm0 0c1.5-1 3.5-1 5.5-.5V13c-2-.5-4-.5-5.5.5" />,
);
export const CodeIcon = iconOf(<path d="M5.5 4 2 8l3.5 4M10.5 4 14 8l-3.5 4" />);
export const FindIcon = iconOf(
  <>
    <circle cx="7" cy="7" r="4.5" />
    <path d="m10.5 10.5 3 3" />
  </>,
);
export const LabIcon = iconOf(
  <path d="M6 2.5h4M6.5 2.5v4l-3.8 5.6a1 1 0 0 0 .8 1.4h9a1 1 0 0 0 .8-1.4L9.5 6.5v-4M4.5 10h7" />,
);
export const UpIcon = iconOf(<path d="m4 10 4-4 4 4" />);
export const RemoveIcon = iconOf(<path d="m4 4 8 8M12 4l-8 8" />);
export const SubscriptionIcon = iconOf(
  <path d="M13 6.5A5.2 5.2 0 0 0 3.6 5M3 9.5A5.2 5.2 0 0 0 12.4 11M3.5 2.5V5H6M12.5 13.5V11H10" />,
);
export const AppsIcon = iconOf(
  <>
    <rect x="4.5" y="1.5" width="7" height="13" rx="1.5" />
    <path d="M7.5 12h1" />
  </>,
);
export const WebhookIcon = iconOf(<path d="M2 8h9m-3.5-3.5L11 8l-3.5 3.5M14 3v10" />);
export const AuditIcon = iconOf(<path d="M3 2.5h7l3 3v8H3zM5.5 8h5m-5 2.5h5" />);
export const SettingsIcon = iconOf(
  <>
    <path d="M2.5 4.5h5m3 0h3m-11 7h3m3 0h5" />
    <circle cx="9" cy="4.5" r="1.5" />
    <circle cx="7" cy="11.5" r="1.5" />
  </>,
);
