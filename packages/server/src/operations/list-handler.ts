// Handlers of lists in pages: the page that a query asks for, and the token of the next page.

import { pageSize } from '@opentill/contract/limits.ts';
import type { OperatorOperation } from '@opentill/contract/operator-api/operator-operation.ts';
import type { Static, TObject, TSchema } from 'typebox';
import type { PageRequest } from '../store/connection/paged-list.ts';
import { type CallOf, type OperatorHandler, operatorHandler } from './operator-handler.ts';
import { pageToken } from './page-token.ts';
import { Refusal, refuseValue } from './refusal.ts';

interface ListOperation extends OperatorOperation {
  readonly query: TObject;
  readonly responses: { readonly 200: TSchema };
}

/** The entries of a page under their name in the response, with the position of the last one unless the list ends. */
type ListedPage<Operation extends ListOperation, Position> = Omit<
  Static<Operation['responses'][200]>,
  'nextPageToken'
> & { readonly next: Position | undefined };

/** Gives the handler of a list the page that its query asks for; a token is an encoded `position`. */
export function listHandler<const Operation extends ListOperation, Position extends TObject>(
  operation: Operation,
  position: Position,
  read: (
    call: CallOf<Operation>,
    page: PageRequest<Static<Position>>,
  ) => Promise<ListedPage<Operation, Static<Position>> | Refusal<Operation['errors'][number]>>,
): OperatorHandler {
  const token = pageToken(position);
  const listing: OperatorOperation = operation;
  return operatorHandler(listing, async (call) => {
    const query = call.query as { readonly pageSize?: number; readonly pageToken?: string };
    const after = query.pageToken === undefined ? undefined : token.decode(query.pageToken);
    if (after === undefined && query.pageToken !== undefined) {
      return refuseValue('invalidRequest', 'pageToken', 'expected the nextPageToken of a page of this list');
    }
    const limit = query.pageSize ?? pageSize.default;
    const listed = await read(call as unknown as CallOf<Operation>, { after, limit });
    if (listed instanceof Refusal) return listed;
    const { next, ...entries } = listed;
    const nextPage = next === undefined ? {} : { nextPageToken: token.encode(next) };
    return { status: 200, body: { ...entries, ...nextPage } };
  });
}
