// All faults that can be planted.

import { consumeFaults, manageFaults } from './change-faults.ts';
import type { PlantedFault } from './fault-forms.ts';
import { detailsFaults, errorFaults, subscriptionFaults } from './read-faults.ts';
import { headerFaults, tokenFaults } from './token-faults.ts';
import { voidedPageFaults, voidedQueryFaults } from './voided-faults.ts';

export const plantedFaults: readonly PlantedFault[] = [
  ...tokenFaults,
  ...headerFaults,
  ...detailsFaults,
  ...subscriptionFaults,
  ...voidedPageFaults,
  ...voidedQueryFaults,
  ...errorFaults,
  ...manageFaults,
  ...consumeFaults,
];
