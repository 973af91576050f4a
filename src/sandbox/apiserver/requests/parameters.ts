import { goQuote } from "../../../base/mod.ts";
import { badRequest, invalid } from "../base/mod.ts";
import { FieldErrors } from "../validation/mod.ts";

/** What a write does about fields that its type does not have. */
export type FieldValidation = "Ignore" | "Warn" | "Strict";

/** The parameters that all writes have. Upstream: CreateOptions, UpdateOptions, PatchOptions. */
export interface WriteParameters {
  readonly dryRun: boolean;
  /** Empty if the request names none. */
  readonly fieldManager: string;
  readonly fieldValidation: FieldValidation;
}

/** What a write's parameters are called in messages about them. */
export type WriteOptionsKind = "CreateOptions" | "UpdateOptions" | "PatchOptions";

const LONGEST_MANAGER_BYTES = 128;
const VALIDATIONS = ["", "Ignore", "Strict", "Warn"];
const DEFAULTS: WriteParameters = { dryRun: false, fieldManager: "", fieldValidation: "Warn" };

/**
 * The parameters of a write.
 *
 * @param isApply Whether it is an apply, which must say who applies and may be forced; only of PatchOptions.
 * @throws {ApiError} 422 if a parameter cannot be. Upstream: `apimachinery/pkg/apis/meta/v1/validation`.
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

/** Throws what was found wrong with options. */
export function refuse(kind: string, { causes }: FieldErrors): void {
  if (causes.length > 0) throw invalid({ group: "meta.k8s.io", plural: "", kind }, "", causes);
}

/** Whether `values` ask for a dry run; anything but `All` among them is an error. */
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

/** The manager that a client's name for itself stands for: what comes before the first `/`, as far as it can be printed. */
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
 * The value of a parameter that is a whole number; `undefined` if the request has none.
 *
 * @throws {ApiError} 400 in Go's words if it is none.
 */
export function integerParameter(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  if (/^[+-]?\d{1,18}$/.test(text)) return Number(text);
  const why = /^[+-]?\d+$/.test(text) ? "value out of range" : "invalid syntax";
  throw badRequest(`strconv.ParseInt: parsing ${goQuote(text)}: ${why}`);
}

/** The value of a parameter that is a claim: anything but `0` and `false` affirms it. */
export function booleanParameter(query: URLSearchParams, name: string): boolean | undefined {
  const text = query.get(name);
  return text === null ? undefined : text !== "0" && text.toLowerCase() !== "false";
}
