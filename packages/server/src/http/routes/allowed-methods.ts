// The methods that a path supports: the Allow header of a 405.

interface RoutedPath {
  readonly method: string;
  /** With `:name` for each parameter. */
  readonly path: string;
}

/** With `allowsShort`, parameters at the end of the path may be missing: such a call lacks a value. */
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

function isPathOf(pattern: readonly string[], segments: readonly string[], allowsShort: boolean): boolean {
  if (segments.length > pattern.length) return false;
  return pattern.every((part, index) => {
    const segment = segments[index];
    if (segment === undefined) return allowsShort && part.startsWith(':');
    return part.startsWith(':') || part === segment;
  });
}
