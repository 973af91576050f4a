import { apiVersionOf, parseApiVersion } from "../../../api/mod.ts";
import { goQuote } from "../../../base/mod.ts";
import { type ApiError, badRequest, isObject, type JsonObject, type RequestBody } from "../base/mod.ts";
import { DecodeError, type Findings, normalise, structOfKind, type StructType } from "../schema/mod.ts";
import { checkCustomKind, checkCustomVersion } from "./custom_type.ts";
import { type Document, DocumentError, readDocument } from "./document.ts";
import { lookCloser } from "./closer_look.ts";
import { countMembers, treeOfDocument } from "./json_tree.ts";
import { keepReset } from "./reset.ts";
import { type Target, type TypeMeta, typeMetaOf } from "./type_meta.ts";

/** Numbers that Go may not take: with a fraction, an exponent, or many digits. Only a sign that a closer look is due. */
const SUSPICIOUS_NUMBER = /"\s*:\s*-?\d+(?:[.eE]|\d{9})/;

/** Both serve the same events. */
const EVENT_GROUPS = ["", "events.k8s.io"];

/** What a write does about fields that a type does not have, or that come twice. */
export interface Strictness {
  /** What to do about fields that the type does not have. */
  readonly fieldValidation: "Ignore" | "Warn" | "Strict";
  /** Texts for `Warning` headers. */
  readonly warnings: Set<string>;
}

/** An object that was read into its type. */
export interface Decoded {
  readonly object: JsonObject;
  /** What is wrong with it, yet does not keep it from being read: `unknown field "spec.foo"`. */
  readonly strict: readonly string[];
}

/**
 * Reads a body of a known type.
 *
 * @param otherVersions Versions in which it may come as well, because they have the same fields.
 * @throws {ApiError} 400 if it is something else, 415 if it is of a media type that is not read here.
 */
export function decodeBody(
  body: RequestBody,
  target: Target,
  rules: Strictness,
  otherVersions: readonly string[] = [],
): JsonObject {
  let meta: TypeMeta | undefined;
  try {
    const document = readDocument(body);
    if (!target.struct) checkCustomVersion(document, target);
    meta = typeMetaOf(document.value, target);
    if (otherVersions.includes(meta.apiVersion)) meta = { ...meta, apiVersion: apiVersionOf(target) };
    const decoded = decodeDocument(document, meta, target, rules.fieldValidation !== "Ignore");
    heedStrict(decoded.strict, rules);
    if (meta.apiVersion !== apiVersionOf(target)) throw otherVersion(meta, target);
    return decoded.object;
  } catch (error) {
    if (error instanceof DocumentError) throw cannotHandle(error.message, meta, target);
    throw error;
  }
}

/**
 * Reads a document into the type that it has to be.
 *
 * @param isStrict Whether to look for unknown fields and duplicates.
 * @throws {DocumentError} If it does not fit.
 */
export function decodeDocument(document: Document, meta: TypeMeta, target: Target, isStrict: boolean): Decoded {
  if (!target.struct) return decodeCustom(document, target, isStrict);
  if (meta.kind !== target.kind || meta.apiVersion !== apiVersionOf(target)) checkKind(meta, target);
  const value = document.value ?? {};
  const findings: Findings = { unknown: [] };
  let object: JsonObject;
  try {
    object = normalise(value, target.struct, findings);
    keepReset(value, object);
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw new DocumentError(error.message);
  }
  const isSuspicious = document.text !== undefined && SUSPICIOUS_NUMBER.test(document.text);
  const isOdd = isStrict && (findings.unknown.length > 0 || hasDuplicates(document));
  if (!isSuspicious && !isOdd) return { object, strict: [] };
  const { error, strict } = lookAgain(document, target.struct);
  if (error !== undefined) throw new DocumentError(error);
  return { object, strict: isStrict ? [...yamlErrors(document), ...strict] : [] };
}

function unknownFields(paths: readonly string[]): string[] {
  return paths.map((path) => `unknown field ${goQuote(path)}`);
}

function lookAgain(document: Document, struct: StructType | undefined) {
  return lookCloser(treeOfDocument(document), struct);
}

function hasDuplicates({ shape, value, yamlDuplicates }: Document): boolean {
  return yamlDuplicates.length > 0 || (shape !== undefined && shape.members !== countMembers(value));
}

/** A custom resource, of which only its definition knows what it may hold. */
function decodeCustom(document: Document, target: Target, isStrict: boolean): Decoded {
  checkCustomKind(document, target);
  const unknown: string[] = [];
  const body = isObject(document.value) ? document.value : {};
  let object: JsonObject;
  try {
    object = target.read?.(body, unknown) ?? body;
    keepReset(body, object);
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw new DocumentError(error.message);
  }
  if (!isStrict) return { object, strict: [] };
  const duplicates = hasDuplicates(document) ? lookAgain(document, undefined).strict : [];
  return { object, strict: [...yamlErrors(document), ...duplicates, ...unknownFields(unknown)] };
}

/** All of a YAML parser's complaints are one error. */
function yamlErrors({ yamlDuplicates }: Document): string[] {
  return yamlDuplicates.length === 0 ? [] : [`yaml: unmarshal errors:\n  ${yamlDuplicates.join("\n  ")}`];
}

/** @throws {DocumentError} If the kind is another one than wanted, unless it is the same in another version. */
function checkKind({ apiVersion, kind }: TypeMeta, target: Target): void {
  const { group, version } = parseApiVersion(apiVersion);
  const isSameGroup = group === target.group || [group, target.group].every((one) => EVENT_GROUPS.includes(one));
  if (kind === target.kind && isSameGroup && structOfKind({ group, version }, kind)) return;
  throw new DocumentError(`it is a ${kind} of ${apiVersion}, not a ${target.kind} of ${apiVersionOf(target)}`);
}

function otherVersion({ apiVersion }: TypeMeta, target: Target): ApiError {
  const wanted = apiVersionOf(target);
  return badRequest(`the API version in the data (${apiVersion}) does not match the expected API version (${wanted})`);
}

/** Warns about what is strictly wrong, or refuses it as the request wants. */
function heedStrict(strict: readonly string[], { fieldValidation, warnings }: Strictness): void {
  if (strict.length === 0) return;
  if (fieldValidation === "Strict") throw new DocumentError(strictText(strict));
  addStrictWarnings(strict, warnings);
}

/** As it is said about a request that is refused for it. */
export function strictText(strict: readonly string[]): string {
  return `strict decoding error: ${strict.join(", ")}`;
}

/** Adds a warning for each, and for each line of what a YAML parser has found. */
export function addStrictWarnings(strict: readonly string[], warnings: Set<string>): void {
  for (const text of strict) {
    const lines = text.replace(/^(error converting YAML to JSON: )?yaml: unmarshal errors:\n/, "");
    for (const line of lines === text ? [text] : lines.split("\n")) warnings.add(line.trim());
  }
}

/** Why a body is refused. Upstream: `apiserver/pkg/endpoints/handlers/rest.go` (transformDecodeError). */
function cannotHandle(why: string, meta: TypeMeta | undefined, target: Target): ApiError {
  if (meta) {
    const { version } = parseApiVersion(meta.apiVersion);
    return badRequest(`${meta.kind} in version "${version}" cannot be handled as a ${target.kind}: ${why}`);
  }
  return badRequest(`the object provided is unrecognized (must be of type ${target.kind}): ${why}`);
}
