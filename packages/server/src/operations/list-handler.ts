// Handlers of lists in pages: the page that a query asks for, and the token of the next page.

import { pageSize } from '@opentill/contract/limits.ts';
import type { OperatorOperation } from '@opentill/contract/operator-api/operator-operation.ts';
import type { Static, TObject, TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import type { PageRequest } from '../store/statements/paged-list.ts';
import {
  type CallOf,
  type EntryPages,
  entriesPerStatement,
  type OperatorCall,
  type OperatorHandler,
  operatorHandler,
} from './operator-handler.ts';
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

interface ListHandler extends OperatorHandler {
  readEntries(call: OperatorCall): EntryPages;
}

/** Gives the handler of a list the page that its query asks for; a token is an encoded `position`. */
export function listHandler<const Operation extends ListOperation, Position extends TObject>(
  operation: Operation,
  position: Position,
  read: (
    call: CallOf<Operation>,
    page: PageRequest<Static<Position>>,
  ) => Promise<ListedPage<Operation, Static<Position>> | Refusal<Operation['errors'][number]>>,
): ListHandler {
  const token = pageToken(position);
  const listing: OperatorOperation = operation;
  const handler = operatorHandler(listing, async (call) => {
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
  return {
    ...handler,
    async *readEntries(call) {
      let after: Static<Position> | undefined;
      do {
        const page = { after, limit: entriesPerStatement };
        const listed = await read(call as unknown as CallOf<Operation>, page);
        if (listed instanceof Refusal) return yield listed;
        const { next, ...entries } = listed;
        yield* Object.values(entries) as [readonly object[]];
        after = next;
      } while (after !== undefined);
    },
  };
}

export interface PageToken<Position> {
  encode(position: Position): string;
  /** Returns undefined for a text that is not a token of this list. */
  decode(token: string): Position | undefined;
}

/**
 * Tokens of one list, each a position in base64url; `encode` keeps only the properties of the schema. They are checked but
 * not signed, since a forged token only starts the caller's own list at another position.
 */
export function pageToken<Schema extends TObject>(schema: Schema): PageToken<Static<Schema>> {
  const shape = Compile(schema);
  const names = Object.keys(schema.properties);
  return {
    encode(position) {
      const values = names.map((name) => (position as Record<string, unknown>)[name]);
      return Buffer.from(JSON.stringify(values)).toString('base64url');
    },
    decode(token) {
      const values = parseJson(Buffer.from(token, 'base64url').toString('utf8'));
      if (!Array.isArray(values) || values.length !== names.length) return undefined;
      const position = Object.fromEntries(names.map((name, index) => [name, values[index]]));
      return shape.Check(position) ? position : undefined;
    },
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
