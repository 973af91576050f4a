import { compareUtf8, fnv1a32, numberText, runAtOnce } from "../base/mod.ts";
import { type PodTemplateSpec, Quantity, safeEncode } from "../api/mod.ts";
import { type GoStruct, type GoType, POD_TEMPLATE_SPEC } from "./pod_template_schema.ts";
import { isNil, NOTHING_SET, toRecord } from "./typed_encoding.ts";

const encoder = new TextEncoder();

/**
 * The hash that names a Deployment's ReplicaSet (`pod-template-hash`) and a DaemonSet's revision, as upstream v1.36
 * computes it. Upstream: `pkg/controller/controller_utils.go` (ComputeHash).
 *
 * Never use this hash to decide whether a child fits its template: upstream's value changes with every release that
 * adds a field. Use {@link equalIgnoreHash}.
 *
 * @param collisionCount From the owner's status; absent and 0 give different hashes.
 *
 * @example
 * ```ts
 * import { podTemplateHash } from "kubeloop/rules";
 * import { assertEquals } from "@std/assert";
 *
 * const template = {
 *   metadata: { labels: { a: "b" } },
 *   spec: { containers: [{ name: "c", image: "i", resources: {} }] },
 * };
 * assertEquals(podTemplateHash(template), "79fb88968d");
 * ```
 */
export function podTemplateHash(template: PodTemplateSpec, collisionCount?: number | null): string {
  return runAtOnce(podTemplateHashSteps(template, collisionCount));
}

/** As {@link podTemplateHash}, in steps: each of them takes up to 20 ms of a template of a megabyte. */
export function* podTemplateHashSteps(
  template: PodTemplateSpec,
  collisionCount?: number | null,
): Generator<void, string> {
  const text = dumpPodTemplate(template);
  yield;
  let hash = fnv1a32(encoder.encode(text));
  if (!isNil(collisionCount)) {
    const bytes = new Uint8Array(8);
    new DataView(bytes.buffer).setUint32(0, collisionCount, true);
    hash = fnv1a32(bytes, hash);
  }
  return safeEncode(String(hash));
}

/** The text that is hashed: the Go value printed with its types, as the `spew` package does it. */
export function dumpPodTemplate(template: PodTemplateSpec): string {
  return dump(template, POD_TEMPLATE_SPEC);
}

function dump(value: unknown, type: GoType): string {
  if (type.tag !== "pointer") return `(${type.name})${dumpBare(value, type)}`;
  return `(${type.name})${isNil(value) ? "<nil>" : dumpBare(value, type.target)}`;
}

/** Without the leading type, as elements of lists and maps are printed. */
function dumpBare(value: unknown, type: GoType): string {
  switch (type.tag) {
    case "struct":
      return dumpStruct(toRecord(value), type);
    case "pointer":
      return isNil(value) ? "<nil>" : dumpBare(value, type.target);
    case "slice":
      if (!Array.isArray(value) || value.length === 0) return "<nil>";
      return `[${value.map((item) => dumpBare(item, type.element)).join(" ")}]`;
    case "map": {
      const members = toRecord(value);
      const keys = Object.keys(members).sort(compareUtf8);
      if (keys.length === 0) return "<nil>";
      return `map[${keys.map((key) => `${key}:${dumpBare(members[key], type.value)}`).join(" ")}]`;
    }
    case "string":
      return isNil(value) ? "" : String(value);
    case "bool":
      return value === true ? "true" : "false";
    case "int":
      return isNil(value) ? "0" : numberText(value as number);
    case "intOrString":
      return dumpIntOrString(value);
    case "quantity":
      return dumpQuantity(value);
    case "time":
      // Go prints the internals of a set time, which are unavailable here: the hash of such a template differs from
      // upstream's, but is unique.
      return "{Time:(time.Time){wall:(uint64)0 ext:(int64)0 loc:(*time.Location)<nil>}}";
    case "opaque":
      return "<nil>";
  }
}

/** Most structs in a template are absent or empty; their text is made once. */
const emptyStructs = new Map<GoStruct, string>();

function dumpStruct(members: Readonly<Record<string, unknown>>, type: GoStruct): string {
  if (members !== NOTHING_SET) return dumpFields(members, type);
  let text = emptyStructs.get(type);
  if (text === undefined) emptyStructs.set(type, text = dumpFields(members, type));
  return text;
}

function dumpFields(members: Readonly<Record<string, unknown>>, type: GoStruct): string {
  let text = "{";
  for (const { goName, jsonKey, inlined, type: fieldType } of type.fields) {
    if (text.length > 1) text += " ";
    text += `${goName}:${dump(inlined ? members : members[jsonKey], fieldType)}`;
  }
  return text + "}";
}

function dumpIntOrString(value: unknown): string {
  return typeof value === "string"
    ? `{Type:(intstr.Type)1 IntVal:(int32)0 StrVal:(string)${value}}`
    : `{Type:(intstr.Type)0 IntVal:(int32)${isNil(value) ? 0 : numberText(value as number)} StrVal:(string)}`;
}

function dumpQuantity(value: unknown): string {
  // A quantity that was never set has no format.
  const set = !isNil(value);
  const { unscaled, exponent, format, isBig, text } = Quantity.parse(value as string | number | null).parts;
  const small = isBig ? { value: 0n, scale: 0 } : { value: unscaled, scale: exponent };
  const big = isBig ? dumpBigDecimal(unscaled, -exponent) : "<nil>";
  return `{i:(resource.int64Amount){value:(int64)${small.value} scale:(resource.Scale)${small.scale}} ` +
    `d:(resource.infDecAmount){Dec:(*inf.Dec)${big}} ` +
    `s:(string)${set ? text : ""} Format:(resource.Format)${set ? format : ""}}`;
}

function dumpBigDecimal(unscaled: bigint, scale: number): string {
  const words: bigint[] = [];
  for (let rest = unscaled < 0n ? -unscaled : unscaled; rest > 0n; rest >>= 64n) {
    words.push(rest & 0xffff_ffff_ffff_ffffn);
  }
  const digits = words.length === 0 ? "<nil>" : `[${words.join(" ")}]`;
  return `{unscaled:(big.Int){neg:(bool)${unscaled < 0n} abs:(big.nat)${digits}} scale:(inf.Scale)${scale}}`;
}
