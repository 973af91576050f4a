/** The kinds of types. Upstream: `common/types/types.go`. */
export type CelKind =
  | "any"
  | "bool"
  | "bytes"
  | "double"
  | "duration"
  | "dyn"
  | "error"
  | "int"
  | "list"
  | "map"
  | "null"
  | "opaque"
  | "param"
  | "string"
  | "struct"
  | "timestamp"
  | "type"
  | "uint";

/** The type of an expression. Types never change. */
export interface CelType {
  readonly kind: CelKind;
  /** The name without parameters: `list` for a list, `google.protobuf.Timestamp` for a timestamp. */
  readonly name: string;
  readonly params: readonly CelType[];
  /** Whether it is a primitive type that can also be null. */
  readonly isNullable?: true;
  /** For a struct, the type of a field, or `undefined` if it does not exist. */
  field?(name: string): CelType | undefined;
}

const NONE: readonly CelType[] = [];

const simple = (kind: CelKind, name: string = kind): CelType => ({ kind, name, params: NONE });

export const ANY = simple("any", "google.protobuf.Any");
export const BOOL = simple("bool");
export const BYTES = simple("bytes");
export const DOUBLE = simple("double");
export const DURATION = simple("duration", "google.protobuf.Duration");
export const DYN = simple("dyn");
export const ERROR = simple("error");
export const INT = simple("int");
export const NULL = simple("null", "null_type");
export const STRING = simple("string");
export const TIMESTAMP = simple("timestamp", "google.protobuf.Timestamp");
export const TYPE = simple("type");
export const UINT = simple("uint");

/** A list of elements of one type. */
export function listOf(element: CelType): CelType {
  return { kind: "list", name: "list", params: [element] };
}

/** A map from keys of one type to values of one type. */
export function mapOf(key: CelType, value: CelType): CelType {
  return { kind: "map", name: "map", params: [key, value] };
}

/** A value of a library, such as a quantity; equal by its name and parameters. */
export function opaque(name: string, ...params: readonly CelType[]): CelType {
  return { kind: "opaque", name, params };
}

/** The type of an optional value. */
export function optionalOf(type: CelType): CelType {
  return opaque("optional_type", type);
}

/** The type of a type used as a value. */
export function typeOf(type: CelType): CelType {
  return { kind: "type", name: "type", params: [type] };
}

/** A type variable. */
export function typeParam(name: string): CelType {
  return { kind: "param", name, params: NONE };
}

/** A type with named fields; equal by its name. */
export function struct(name: string, field: (name: string) => CelType | undefined): CelType {
  return { kind: "struct", name, params: NONE, field };
}

/** A named type with unknown fields. */
export function unknownStruct(name: string): CelType {
  return { kind: "struct", name, params: NONE };
}

/** A primitive type that can also be null. */
export function nullable(type: CelType): CelType {
  return { ...type, isNullable: true };
}

/** The type inside an optional, or the type itself; and whether it was an optional. */
export function unwrapped(type: CelType): readonly [CelType, boolean] {
  return type.kind === "opaque" && type.name === "optional_type" ? [type.params[0], true] : [type, false];
}

/** Whether it is dynamic, so that every operation is allowed. */
export function isDyn({ kind }: CelType): boolean {
  return kind === "dyn" || kind === "any";
}

/** A type as messages show it. Upstream: FormatCELType. */
export function typeText(type: CelType): string {
  switch (type.kind) {
    case "any":
    case "duration":
    case "null":
    case "timestamp":
      return type.kind;
    case "error":
      return "!error!";
  }
  if (type.params.length === 0) return type.isNullable ? `wrapper(${type.name})` : type.name;
  return `${type.name}(${type.params.map(typeText).join(", ")})`;
}

/** The arguments of a call as messages show them; for a member the first is the receiver. */
export function callText(types: readonly CelType[], isMember: boolean): string {
  const texts = types.map(typeText);
  return isMember ? `${texts[0]}.(${texts.slice(1).join(", ")})` : `(${texts.join(", ")})`;
}

/** The name of a type without its parameters, as messages show it. */
export function declaredName({ name, isNullable }: CelType): string {
  return isNullable ? `wrapper(${name})` : name;
}

/** Whether it is a well-known protobuf message type. */
export function isWellKnown(type: CelType): boolean {
  switch (type.kind) {
    case "any":
    case "timestamp":
    case "duration":
    case "dyn":
    case "null":
      return true;
    case "list":
      return type.params[0] === DYN;
    case "map":
      return type.params[0] === STRING && type.params[1] === DYN;
    default:
      return type.isNullable === true;
  }
}

/** A type with its type variables renamed. */
export function renamed(type: CelType, names: ReadonlyMap<string, CelType>): CelType {
  if (type.kind === "param") return names.get(type.name) ?? type;
  return type.params.length === 0 ? type : { ...type, params: type.params.map((param) => renamed(param, names)) };
}
