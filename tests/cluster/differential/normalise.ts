/** Takes from an answer what two right servers may say differently: identities, times, revisions, allocated addresses. */
import { compareUtf8 } from "../../../src/base/mod.ts";

const UID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)/g;
const JWT = /eyJ[\w-]+\.[\w-]+\.[\w-]+/g;
const ACCESS_VOLUME = /kube-api-access-[a-z0-9]{5}/g;
const AGE = /^(?:\d+y)?(?:\d+d)?(?:\d+h)?(?:\d+m)?(?:\d+s)?$|^<invalid>$/;
const SERVICE_ADDRESS = /\b10\.0\.\d{1,3}\.\d{1,3}\b/g;
const RESOURCE_VERSION = /(resourceVersion(?:\\?")?:\s*\\?")\d+/g;

/** Values of these fields are only compared in being there. */
const MASKED_FIELDS = new Set([
  "resourceVersion",
  "continue",
  "remainingItemCount",
  "nodePort",
  "healthCheckNodePort",
  "clientCIDR",
  "serverAddress",
  "storageVersionHash",
]);

/** Numbers identities in the order in which they appear, so that the same one stays recognisable. */
export class Normaliser {
  readonly #uids = new Map<string, string>();

  value(value: unknown, field = ""): unknown {
    if (MASKED_FIELDS.has(field) && value !== undefined && value !== "" && value !== "0") return `<${field}>`;
    if (typeof value === "string") return this.text(value);
    if (Array.isArray(value)) {
      const items = value.map((item) => field === "cells" ? this.#cell(item) : this.value(item));
      if (field !== "managedFields") return items;
      // Servers order these by their times: whether two are of the same second is chance.
      return items.sort((a, b) => compareUtf8(JSON.stringify(a), JSON.stringify(b)));
    }
    if (typeof value !== "object" || value === null) return value;
    const entries = Object.entries(value).sort(([a], [b]) => a < b ? -1 : a > b ? 1 : 0);
    const normalised = Object.fromEntries(entries.map(([key, item]) => [this.text(key), this.value(item, key)]));
    return field === "metadata" ? withoutRandomName(normalised) : normalised;
  }

  text(text: string): string {
    return text
      .replace(UID, (uid) => this.#uids.get(uid) ?? this.#remember(uid))
      .replace(TIME, "<time>")
      .replace(JWT, "<jwt>")
      .replace(ACCESS_VOLUME, "kube-api-access-<random>")
      .replace(SERVICE_ADDRESS, "<address>")
      .replace(RESOURCE_VERSION, "$1<resourceVersion>");
  }

  #cell(cell: unknown): unknown {
    return typeof cell === "string" && cell !== "" && AGE.test(cell) ? "<age>" : this.value(cell);
  }

  #remember(uid: string): string {
    const name = `<uid ${this.#uids.size + 1}>`;
    this.#uids.set(uid, name);
    return name;
  }
}

function withoutRandomName(metadata: Record<string, unknown>): Record<string, unknown> {
  const { generateName, name } = metadata;
  const isGenerated = typeof generateName === "string" && typeof name === "string" && name.startsWith(generateName) &&
    name.length === generateName.length + 5;
  return isGenerated ? { ...metadata, name: `${generateName}<random>` } : metadata;
}

/** `value` without the fields at `path`; `*` stands for every item or field. */
export function without(value: unknown, path: readonly string[]): unknown {
  const [head, ...rest] = path;
  if (typeof value !== "object" || value === null || head === undefined) return value;
  const isHit = (key: string) => head === "*" || head === key;
  if (Array.isArray(value)) {
    return value.flatMap((item, i) => !isHit(String(i)) ? [item] : rest.length === 0 ? [] : [without(item, rest)]);
  }
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, item]) =>
      !isHit(key) ? [[key, item]] : rest.length === 0 ? [] : [[key, without(item, rest)]]
    ),
  );
}

/** What names an object or a type, and goes on with what is wrong with it. */
const REFUSAL =
  /^(.*? is invalid|.*? cannot be handled as a \w+|the object provided is unrecognized \(must be of type \w+\)|failed to create typed patch object [^]*?\)): (?!strict decoding error)[^]*$/;

/** What only says why a body, a parameter or a header cannot be read, or a strategic merge patch not be applied. */
const UNREADABLE =
  /^(?:the options cannot be read|couldn't get version\/kind|no kind "\w+" is registered|error decoding (?:YAML|patch)|json|yaml|invalid character|unexpected end of JSON|expected an? |list element types|The order in patch list|unknown patch type|map: |invalid continue token|requested &user|impersonation needs)[^]*$/;

/** What names an object, and goes on with why it does not meet a precondition. */
const UNMET =
  /^(Operation cannot be fulfilled on [^:]*): (?:StorageError|Precondition failed|the \w+ in the precondition)[^]*$/;

/** What a YAML parser puts before the keys that come twice, and between two of them. */
const YAML_ERRORS = /(?:error converting YAML to JSON: )?yaml: unmarshal errors:\n {2}/;
const BETWEEN_YAML_ERRORS = /(?<= already set in map)\n {2}/g;

/** A cause in a Status: what is wrong, where, and in which words. */
interface Cause {
  readonly reason?: string;
  readonly field?: string;
}

/**
 * A Status without wording that is free: the embedded server says in plain sentences of its own what is wrong with a value. Which
 * fields are wrong, and by which reasons, stays; the order in which they were found does not.
 */
export function withoutWording(status: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { message, details } = status as { readonly message?: string; readonly details?: Record<string, unknown> };
  return {
    ...status,
    message: message
      ?.replace(REFUSAL, "$1")
      .replace(UNMET, "$1")
      .replace(UNREADABLE, "<unreadable>")
      .replace(YAML_ERRORS, "")
      .replace(BETWEEN_YAML_ERRORS, ", "),
    details: details && withoutOrder(details),
  };
}

function withoutOrder(details: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const causes = details.causes as readonly Cause[] | undefined;
  if (!causes?.every(({ reason }) => reason?.startsWith("FieldValue"))) return details;
  return { ...details, causes: [...new Set(causes.map(({ reason, field }) => `${reason} ${field}`))].sort() };
}
