// The app of a lab, and its acts: calls that change something, one at a time, with the latest one and its response.

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { createContext, useContext } from 'react';
import { type Call, callQuery, makeCall, type OperationId } from '../../api/client.ts';

/** A call with what became of it so far. */
export interface Act {
  readonly call: Call;
  readonly state: 'pending' | 'success' | 'error';
  readonly result?: unknown;
  readonly error?: unknown;
}

/** The parameters of a call about the app of the lab. */
type LabParameters<Operation extends OperationId> = Omit<
  NonNullable<Call<Operation>['parameters']>,
  'packageName'
>;

export interface Lab {
  readonly packageName: string;
  /** The latest one. */
  readonly last: Act | undefined;
  /** While a call runs, no other starts. */
  readonly isBusy: boolean;
  /** Makes a call about the app; does nothing while something runs. */
  readonly start: <Operation extends OperationId>(
    operation: Operation,
    parameters: LabParameters<Operation>,
  ) => void;
}

const LabContext = createContext<Lab | undefined>(undefined);

export const LabProvider = LabContext.Provider;

export function useLab(): Lab {
  const lab = useContext(LabContext);
  if (lab === undefined) throw new Error('There is no lab around this component.');
  return lab;
}

export function useActs(packageName: string): Lab {
  const queryClient = useQueryClient();
  const { mutate, variables, status, data, error } = useMutation({
    mutationFn: (call: Call) => makeCall(call),
  });
  const last = variables && { call: variables, state: status, result: data, error };
  return {
    packageName,
    last,
    isBusy: status === 'pending',
    start(operation, parameters) {
      const call = { operation, parameters: { packageName, ...parameters } } as unknown as Call;
      if (queryClient.isMutating() === 0) mutate(call);
    },
  };
}

/** The lab is read at this interval: the backend, the webhook and other operators change it at any time. */
export const labEveryMs = 2_000;

/** The result of an operation about the app of the lab, kept up to date. */
export function useLabQuery<Operation extends OperationId>(
  operation: Operation,
  parameters: Call<Operation>['parameters'],
) {
  return useQuery({ ...callQuery(operation, parameters), refetchInterval: labEveryMs });
}
