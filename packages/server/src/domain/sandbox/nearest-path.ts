// Finds the operation that a call to an unknown path may have meant.

import { eventsOperations, purchaseOperations } from '@opentill/contract/operations.ts';

interface Call {
  readonly method: string;
  /** With its query. */
  readonly path: string;
}

const operations = [...purchaseOperations, ...eventsOperations].map(({ method, path }) => ({
  method,
  path: path.replaceAll(/:(\w+)/g, '{$1}'),
  words: wordsOf(path.replaceAll(/:\w+/g, '')),
}));

/** Method and path of the operation with the most words of the call; undefined if no operation has any of them. */
export function nearestPath({ method, path }: Call): string | undefined {
  const [called = ''] = path.split('?', 1);
  const words = wordsOf(called);
  const ranked = operations.map((operation) => {
    const shared = words.filter((word) => operation.words.some((own) => isSimilar(own, word))).length;
    const missing = operation.words.filter((own) => !words.some((word) => isSimilar(own, word))).length;
    return { operation, shared, rank: shared * 100 - missing * 10 - (operation.method === method ? 0 : 1) };
  });
  const [nearest] = ranked.filter(({ shared }) => shared > 0).sort((a, b) => b.rank - a.rank);
  return nearest && `${nearest.operation.method} ${nearest.operation.path}`;
}

/** Each once. A version says nothing about the operation. */
function wordsOf(path: string): string[] {
  const words = path.toLowerCase().split(/[^a-z0-9]+/);
  return [...new Set(words)].filter((word) => word !== '' && !/^v\d+$/.test(word));
}

/** Singular and plural are similar. */
function isSimilar(a: string, b: string): boolean {
  return a === b || `${a}s` === b || a === `${b}s`;
}
