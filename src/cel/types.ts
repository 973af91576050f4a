/** What kind of type it is; upstream: `common/types/types.go`. */
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
  /** The name without parameters: of a list `list`, of a timestamp `google.protobuf.Timestamp`. */
  readonly name: string;
  readonly params: readonly CelType[];
  /** Whether it is a primitive type that can also be null. */
  readonly isNullable?: true;
  /** Of a struct, the type of a field, or `undefined` if there is none. */
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

/** The type of a value that may be missing. */
export function optionalOf(type: CelType): CelType {
  return opaque("optional_type", type);
}

/** The type of a type's name. */
export function typeOf(type: CelType): CelType {
  return { kind: "type", name: "type", params: [type] };
}

/** A type that is to be found. */
export function typeParam(name: string): CelType {
  return { kind: "param", name, params: NONE };
}

/** A type with named fields; equal by its name. */
export function struct(name: string, field: (name: string) => CelType | undefined): CelType {
  return { kind: "struct", name, params: NONE, field };
}

/** A type that has a name, but nothing is known of its fields. */
export function unknownStruct(name: string): CelType {
  return { kind: "struct", name, params: NONE };
}

/** A primitive type that can also be null. */
export function nullable(type: CelType): CelType {
  return { ...type, isNullable: true };
}

/** What an optional holds, or the type itself; and whether it was an optional. */
export function unwrapped(type: CelType): readonly [CelType, boolean] {
  return type.kind === "opaque" && type.name === "optional_type" ? [type.params[0], true] : [type, false];
}

/** Whether anything may be done with it. */
export function isDyn({ kind }: CelType): boolean {
  return kind === "dyn" || kind === "any";
}

/** A type as messages have it; upstream: FormatCELType. */
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

/** What a function was called with, as messages have it; the first is the receiver of a member. */
export function callText(types: readonly CelType[], isMember: boolean): string {
  const texts = types.map(typeText);
  return isMember ? `${texts[0]}.(${texts.slice(1).join(", ")})` : `(${texts.join(", ")})`;
}

/** The name of a type without its parameters, as messages have it. */
export function declaredName({ name, isNullable }: CelType): string {
  return isNullable ? `wrapper(${name})` : name;
}

/** Whether it is a type that protobuf knows as a message. */
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

/** A type with other types in place of those that are to be found. */
export function renamed(type: CelType, names: ReadonlyMap<string, CelType>): CelType {
  if (type.kind === "param") return names.get(type.name) ?? type;
  return type.params.length === 0 ? type : { ...type, params: type.params.map((param) => renamed(param, names)) };
}
