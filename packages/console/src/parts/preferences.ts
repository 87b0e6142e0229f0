// A user's preferences, stored in the browser and shared by its tabs.

import { useLocalStorage } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { sessionQuery } from '../api/session.ts';

export const zoneChoices = { store: 'Store', utc: 'UTC', local: 'Local' } as const;
type ZoneChoice = keyof typeof zoneChoices;

/** The time zone in which instants are shown. */
export function useZoneChoice() {
  return useLocalStorage<ZoneChoice>({
    key: 'opentill-zone',
    defaultValue: 'store',
    getInitialValueInEffect: false,
    serialize: (choice) => choice,
    deserialize: (text = '') => (Object.hasOwn(zoneChoices, text) ? (text as ZoneChoice) : 'store'),
  });
}

/** The app that pages with a filter for apps show; undefined: all. */
export const chosenApp = {
  key: 'opentill-app',
  defaultValue: undefined,
  getInitialValueInEffect: false,
  serialize: (packageName: string | undefined) => packageName ?? '',
  deserialize: (text: string | undefined) => text || undefined,
};

export const useChosenApp = () => useLocalStorage<string | undefined>(chosenApp);

/** Whether single-key shortcuts are on. */
export function useSingleKeys() {
  return useLocalStorage<boolean>({
    key: 'opentill-single-keys',
    defaultValue: true,
    getInitialValueInEffect: false,
  });
}

/** The name of the chosen time zone; undefined means the browser's. */
export function useTimeZone(): string | undefined {
  const { data } = useQuery(sessionQuery);
  const [choice] = useZoneChoice();
  if (choice === 'local') return undefined;
  return choice === 'utc' ? 'UTC' : (data?.session?.timeZone ?? 'UTC');
}
