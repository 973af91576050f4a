import { EXTENSIONS_FUNCTIONS } from "./declarations/extensions.ts";
import { KUBERNETES_FUNCTIONS } from "./declarations/kubernetes.ts";
import { OPTIONAL_FUNCTIONS } from "./declarations/optional.ts";
import { STANDARD_FUNCTIONS } from "./declarations/standard.ts";
import { type Overload, readFunctions, readType } from "./declaration_text.ts";
import * as types from "./types.ts";

/** The names that an expression can use. */
export interface Environment {
  /** The type of a name, which may contain dots. */
  ident(name: string): types.CelType | undefined;
  /** The overloads of a function. */
  overloads(name: string): readonly Overload[] | undefined;
}

const FUNCTIONS = readFunctions(
  STANDARD_FUNCTIONS,
  EXTENSIONS_FUNCTIONS,
  OPTIONAL_FUNCTIONS,
  KUBERNETES_FUNCTIONS,
);

const WRAPPERS: readonly (readonly [string, types.CelType])[] = [
  ["BoolValue", types.nullable(types.BOOL)],
  ["BytesValue", types.nullable(types.BYTES)],
  ["DoubleValue", types.nullable(types.DOUBLE)],
  ["FloatValue", types.nullable(types.DOUBLE)],
  ["Int64Value", types.nullable(types.INT)],
  ["Int32Value", types.nullable(types.INT)],
  ["UInt64Value", types.nullable(types.UINT)],
  ["UInt32Value", types.nullable(types.UINT)],
  ["StringValue", types.nullable(types.STRING)],
  ["Any", types.ANY],
  ["Duration", types.DURATION],
  ["Timestamp", types.TIMESTAMP],
  ["ListValue", types.listOf(types.DYN)],
  ["Struct", types.mapOf(types.STRING, types.DYN)],
  ["Value", types.DYN],
];

/** Names of types, which are also values. */
const TYPES: ReadonlyMap<string, types.CelType> = new Map([
  ...["bool", "bytes", "double", "int", "string", "type", "uint", "duration", "timestamp", "net.IP", "net.CIDR"]
    .map((name) => [name, types.typeOf(readType(name))] as const),
  ["list", types.typeOf(readType("list(A)"))] as const,
  ["map", types.typeOf(readType("map(A, B)"))] as const,
  ["null_type", types.typeOf(types.NULL)] as const,
  ["optional_type", types.typeOf(types.opaque("optional_type"))] as const,
  ...WRAPPERS.map(([name, type]) => [`google.protobuf.${name}`, types.typeOf(type)] as const),
]);

/**
 * Kubernetes' environment for stored expressions: all libraries of v1.36. `cel.bind` is not among them.
 *
 * @param variables Additional variables.
 * @param structs Types that can be named in expressions.
 *
 * Upstream: `apiserver/pkg/cel/environment/base.go`.
 */
export function kubernetesEnvironment(
  variables: ReadonlyMap<string, types.CelType>,
  structs: readonly types.CelType[],
): Environment {
  const named = new Map(structs.map((type) => [type.name, types.typeOf(type)]));
  return {
    ident: (name) => variables.get(name) ?? TYPES.get(name) ?? named.get(name),
    overloads: (name) => FUNCTIONS.get(name),
  };
}
