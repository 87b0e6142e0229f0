// The app of a lab, and its acts: calls that change something, one at a time, with the latest one and its response.

import type { Product } from '@opentill/client/operator';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { createContext, useContext } from 'react';
import { type LabCall, makeCall, refreshLab } from '../../api/lab.ts';

/** A call with what became of it so far. */
export interface Act {
  readonly call: LabCall;
  readonly state: 'pending' | 'success' | 'error';
  readonly result?: unknown;
  readonly error?: unknown;
}

export interface Lab {
  readonly packageName: string;
  readonly products: readonly Product[];
  /** The latest one. */
  readonly last: Act | undefined;
  /** Whether the server answers, so that what is shown is live. */
  readonly isAnswering: boolean;
  /** While a call runs, no other starts. */
  readonly isBusy: boolean;
  /** Makes a call; throws what it throws. */
  readonly act: (call: LabCall) => Promise<unknown>;
  /** For buttons and keys: does nothing while something runs. */
  readonly start: (call: LabCall) => void;
}

/** What a column that is kept up to date says about itself. */
export function useLiveNote(): string {
  return useLab().isAnswering ? 'Live' : 'Not live: no answer';
}

const LabContext = createContext<Lab | undefined>(undefined);

export const LabProvider = LabContext.Provider;

export function useLab(): Lab {
  const lab = useContext(LabContext);
  if (lab === undefined) throw new Error('There is no lab around this component.');
  return lab;
}

export function useActs({
  packageName,
  products,
  isAnswering,
}: Pick<Lab, 'packageName' | 'products' | 'isAnswering'>): Lab {
  const queryClient = useQueryClient();
  const { mutateAsync, variables, status, data, error } = useMutation({
    mutationFn: makeCall,
    onSettled: () => refreshLab(queryClient, packageName),
  });
  const last = variables && { call: variables, state: status, result: data, error };
  // The result panel shows a failure.
  const start = (call: LabCall): void => {
    if (queryClient.isMutating() === 0) mutateAsync(call).catch(() => undefined);
  };
  return { packageName, products, isAnswering, last, isBusy: status === 'pending', act: mutateAsync, start };
}
