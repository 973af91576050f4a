import { goQuote } from "../../../base/mod.ts";
import { badRequest, invalid } from "../base/mod.ts";
import { FieldErrors } from "../validation/mod.ts";

/** What a write does about unknown fields. */
export type FieldValidation = "Ignore" | "Warn" | "Strict";

/** The parameters of all writes. Upstream: CreateOptions, UpdateOptions, PatchOptions. */
export interface WriteParameters {
  readonly dryRun: boolean;
  /** Empty if the request has none. */
  readonly fieldManager: string;
  readonly fieldValidation: FieldValidation;
}

/** The name of a write's parameters in messages. */
export type WriteOptionsKind = "CreateOptions" | "UpdateOptions" | "PatchOptions";

const LONGEST_MANAGER_BYTES = 128;
const VALIDATIONS = ["", "Ignore", "Strict", "Warn"];
const DEFAULTS: WriteParameters = { dryRun: false, fieldManager: "", fieldValidation: "Warn" };

/**
 * The parameters of a write.
 *
 * @param isApply Whether it is an apply, which must name a field manager and may be forced; only with PatchOptions.
 * @throws {ApiError} 422 if a parameter is invalid. Upstream: `apimachinery/pkg/apis/meta/v1/validation`.
 */
export function writeParameters(query: URLSearchParams, kind: WriteOptionsKind, isApply = false): WriteParameters {
  if (query.size === 0 && !isApply) return DEFAULTS;
  const errors = new FieldErrors();
  const fieldManager = query.get("fieldManager") ?? "";
  const fieldValidation = query.get("fieldValidation") ?? "";
  if (kind === "PatchOptions") checkPatch(query, isApply, errors);
  checkManager(fieldManager, errors);
  const dryRun = readDryRun(query.getAll("dryRun"), errors);
  if (!VALIDATIONS.includes(fieldValidation)) errors.notSupported("fieldValidation", fieldValidation, VALIDATIONS);
  refuse(kind, errors);
  return { dryRun, fieldManager, fieldValidation: (fieldValidation || "Warn") as FieldValidation };
}

export function refuse(kind: string, { causes }: FieldErrors): void {
  if (causes.length > 0) throw invalid({ group: "meta.k8s.io", plural: "", kind }, "", causes);
}

/** Whether `values` ask for a dry run; anything but `All` is an error. */
export function readDryRun(values: readonly string[], errors: FieldErrors): boolean {
  if (values.some((value) => value !== "All")) errors.notSupported("dryRun", values, ["All"]);
  return values.length > 0;
}

function checkPatch(query: URLSearchParams, isApply: boolean, errors: FieldErrors): void {
  if (isApply && !query.get("fieldManager")) errors.required("fieldManager", "is required for apply patch");
  if (!isApply && query.has("force")) errors.forbidden("force", "may not be specified for non-apply patch");
}

function checkManager(manager: string, errors: FieldErrors): void {
  if (/^[\x20-\x7e]{0,128}$/.test(manager)) return;
  if (byteLength(manager) > LONGEST_MANAGER_BYTES) errors.tooLong("fieldManager", LONGEST_MANAGER_BYTES);
  const wrong = [...manager].find((char) => !isPrintable(char));
  if (wrong !== undefined) errors.invalid("fieldManager", manager, `${goQuote(wrong)} cannot be printed`);
}

/** The field manager in a `User-Agent`: the printable characters before the first `/`. */
export function managerOfAgent(userAgent: string): string {
  const name = userAgent.split("/", 1)[0];
  if (/^[\x20-\x7e]{0,128}$/.test(name)) return name;
  let manager = "";
  for (const char of name) {
    if (!isPrintable(char)) continue;
    if (byteLength(manager + char) > LONGEST_MANAGER_BYTES) break;
    manager += char;
  }
  return manager;
}

function isPrintable(char: string): boolean {
  return goQuote(char).length === char.length + 2 || char === '"' || char === "\\";
}

function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}

/**
 * The value of an integer parameter; `undefined` if absent.
 *
 * @throws {ApiError} 400 in Go's wording if it is not an integer.
 */
export function integerParameter(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  if (/^[+-]?\d{1,18}$/.test(text)) return Number(text);
  const why = /^[+-]?\d+$/.test(text) ? "value out of range" : "invalid syntax";
  throw badRequest(`strconv.ParseInt: parsing ${goQuote(text)}: ${why}`);
}

/** The value of a boolean parameter; everything but `0` and `false` is true. */
export function booleanParameter(query: URLSearchParams, name: string): boolean | undefined {
  const text = query.get(name);
  return text === null ? undefined : text !== "0" && text.toLowerCase() !== "false";
}
