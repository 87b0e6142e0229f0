// Which methods a path answers to: what a 405 names in its Allow header.

interface RoutedPath {
  readonly method: string;
  /** With `:name` for each parameter. */
  readonly path: string;
}

/**
 * The methods of the operations whose path this is. With `allowsShort` a path may lack parameters at its end:
 * such a call is one of a known operation with too few values.
 */
export function allowedMethods(
  operations: readonly RoutedPath[],
  path: string,
  { allowsShort }: { readonly allowsShort: boolean },
): readonly string[] {
  const segments = path.split('/');
  const methods = operations
    .filter((operation) => isPathOf(operation.path.split('/'), segments, allowsShort))
    .map(({ method }) => method);
  return [...new Set(methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])))];
}

/** What a call by another method is told. */
export function methodsExpected({ method }: { readonly method: string }, methods: readonly string[]): string {
  return `Expected ${methods.join(' or ')}, got ${method}.`;
}

function isPathOf(pattern: readonly string[], segments: readonly string[], allowsShort: boolean): boolean {
  if (segments.length > pattern.length) return false;
  return pattern.every((part, index) => {
    const segment = segments[index];
    if (segment === undefined) return allowsShort && part.startsWith(':');
    return part.startsWith(':') || part === segment;
  });
}
