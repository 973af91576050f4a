/** What the Go source says about a field but its OpenAPI schema does not. */
export interface GoField {
  readonly name: string;
  readonly isPointer: boolean;
  /** Whether its JSON tag has `omitempty`. */
  readonly omitsEmpty: boolean;
  /** Whether its JSON tag has `omitzero`. */
  readonly omitsZero: boolean;
  /** The path of protobuf field numbers to it: several below embedded structs, none if it is not encoded. */
  readonly numbers: readonly string[];
}

/** Versions that are only served with a feature gate, and the types they share. */
const GATED =
  /\.(apimachinery|apiserverinternal\.v1alpha1|certificates\.v1beta1|resource\.v1alpha3|resource\.v1beta2|scheduling\.v1alpha2|storagemigration\.v1beta1)\./;

/** A file of schemas, by their full name. */
interface SchemaFile<T> {
  readonly schemas: Readonly<Record<string, T>>;
}

/** The schemas of all versions that this server may serve. */
export function servedSchemas<T>(usual: SchemaFile<T>, optional: SchemaFile<T>): Record<string, T> {
  const gated = Object.entries(optional.schemas).filter(([name]) => GATED.test(name));
  return { ...usual.schemas, ...Object.fromEntries(gated) };
}

/** `io.k8s.api.core.v1.Pod` -> `core.v1.Pod`. */
export function shortName(name: string): string {
  return name.replace(/^io\.k8s\.(api|apimachinery\.pkg(\.apis)?|[\w-]+\.pkg\.apis)\./, "")
    .replace(/^io\.k8s\.apimachinery\.pkg\./, "").replace(/^apiserverinternal\./, "internal.");
}

/** A field in the file's notation: `name:*?0:1.2`, with `*` for a pointer, `?` for omitempty and `0` for omitzero. */
export function formatGoField({ name, isPointer, omitsEmpty, omitsZero, numbers }: GoField): string {
  const marks = `${isPointer ? "*" : ""}${omitsEmpty ? "?" : ""}${omitsZero ? "0" : ""}`;
  return [name, marks, numbers.join(".")].join(":");
}

/** The fields of a type in Go's order, from `go_fields.json`. */
export function parseGoFields(text: string): GoField[] {
  return text.split(" ").filter((field) => field !== "").map((field) => {
    const [name, marks, numbers] = field.split(":");
    return {
      name,
      isPointer: marks.includes("*"),
      omitsEmpty: marks.includes("?"),
      omitsZero: marks.includes("0"),
      numbers: numbers === "" ? [] : numbers.split("."),
    };
  });
}
