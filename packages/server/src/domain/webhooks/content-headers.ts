// The headers of every delivery that do not depend on its event.

import packageJson from '../../../package.json' with { type: 'json' };

export const contentHeaders = {
  'content-type': 'application/json',
  'user-agent': `OpenTill/${packageJson.version}`,
} as const;
