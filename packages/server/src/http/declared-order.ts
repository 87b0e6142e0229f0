// The order of the keys of an answer: that of the contract, which is that of the specification.

/**
 * The same schema for the serializer, which writes required keys before optional ones: an object with optional
 * keys is declared to it as one without required ones, and so keeps its order. What has one of several shapes is
 * written as it is: the serializer would try one shape after another.
 */
export function inDeclaredOrder(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(inDeclaredOrder);
  if (typeof schema !== 'object' || schema === null) return schema;
  if (isOneOfSeveralShapes(schema)) return {};
  const inner = Object.entries(schema).map(([name, value]) => [name, inDeclaredOrder(value)]);
  const { required, ...rest } = Object.fromEntries(inner) as { required?: unknown; properties?: object };
  const hasOptionalKeys =
    Array.isArray(required) && required.length < Object.keys(rest.properties ?? {}).length;
  return required === undefined || hasOptionalKeys ? rest : { ...rest, required };
}

function isOneOfSeveralShapes({
  anyOf,
}: {
  readonly anyOf?: readonly { readonly type?: string }[];
}): boolean {
  return anyOf?.some(({ type }) => type === 'object') ?? false;
}
