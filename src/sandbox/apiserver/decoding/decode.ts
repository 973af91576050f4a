import { apiVersionOf, parseApiVersion } from "../../../api/mod.ts";
import { goQuote } from "../../../base/mod.ts";
import { type ApiError, badRequest, isObject, type JsonObject, type RequestBody, translate } from "../base/mod.ts";
import { DecodeError, type Findings, normalise, structOfKind } from "../schema/mod.ts";
import { checkCustomKind, customMetaOf } from "./custom_type.ts";
import { type Document, DocumentError, readDocument } from "./document.ts";
import { lookCloser } from "./closer_look.ts";
import { countMembers, treeOfDocument } from "./json_tree.ts";
import { checkVersion, type Target, type TypeMeta, typeMetaOf } from "./type_meta.ts";

/** Numbers that Go may refuse: with a fraction, an exponent or many digits. They need a closer look. */
const SUSPICIOUS_NUMBER = /"\s*:\s*-?\d+(?:[.eE]|\d{9})/;

/** Both groups serve the same events. */
const EVENT_GROUPS = ["", "events.k8s.io"];

/** How a write treats unknown and duplicate fields. */
export interface Strictness {
  /** What to do about unknown fields. */
  readonly fieldValidation: "Ignore" | "Warn" | "Strict";
  /** Texts for `Warning` headers. */
  readonly warnings: Set<string>;
}

export interface Decoded {
  readonly object: JsonObject;
  /** Errors that only strict decoding refuses: `unknown field "spec.foo"`. */
  readonly strict: readonly string[];
}

/**
 * Decodes a body into a known type.
 *
 * @param otherVersions Versions with the same fields, which are accepted as well.
 * @throws {ApiError} 400 if it is something else, 415 if its media type is not supported.
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
    if (!target.struct) checkVersion(customMetaOf(document).apiVersion, target);
    meta = typeMetaOf(document.value, target);
    if (otherVersions.includes(meta.apiVersion)) meta = { ...meta, apiVersion: apiVersionOf(target) };
    const decoded = decodeDocument(document, meta, target, rules.fieldValidation !== "Ignore");
    heedStrict(decoded.strict, rules);
    checkVersion(meta.apiVersion, target);
    return decoded.object;
  } catch (error) {
    if (error instanceof DocumentError) throw cannotHandle(error.message, meta, target);
    throw error;
  }
}

/**
 * Decodes a document into a known type.
 *
 * @param isStrict Whether to look for unknown and duplicate fields.
 * @throws {DocumentError} If it does not fit.
 */
export function decodeDocument(document: Document, meta: TypeMeta, target: Target, isStrict: boolean): Decoded {
  if (!target.struct) return decodeCustom(document, target, isStrict);
  if (meta.kind !== target.kind || meta.apiVersion !== apiVersionOf(target)) checkKind(meta, target);
  const value = document.value ?? {};
  const findings: Findings = { unknown: [] };
  const { struct } = target;
  const object = translate(() => normalise(value, struct, findings), DecodeError, (why) => new DocumentError(why));
  keepReset(value, object);
  const isSuspicious = document.text !== undefined && SUSPICIOUS_NUMBER.test(document.text);
  const isOdd = isStrict && (findings.unknown.length > 0 || hasDuplicates(document));
  if (!isSuspicious && !isOdd) return { object, strict: [] };
  const { error, strict } = lookCloser(treeOfDocument(document), struct);
  if (error !== undefined) throw new DocumentError(error);
  return { object, strict: isStrict ? [...document.yamlDuplicates, ...strict] : [] };
}

function hasDuplicates({ shape, value, yamlDuplicates }: Document): boolean {
  return yamlDuplicates.length > 0 || (shape !== undefined && shape.members !== countMembers(value));
}

/** Decodes a custom resource by its definition. */
function decodeCustom(document: Document, target: Target, isStrict: boolean): Decoded {
  checkCustomKind(document, target);
  const unknown: string[] = [];
  const body = isObject(document.value) ? document.value : {};
  const read = () => target.read?.(body, unknown) ?? body;
  const object = translate(read, DecodeError, (why) => new DocumentError(why));
  keepReset(body, object);
  if (!isStrict) return { object, strict: [] };
  const duplicates = hasDuplicates(document) ? lookCloser(treeOfDocument(document), undefined).strict : [];
  const unknownFields = unknown.map((path) => `unknown field ${goQuote(path)}`);
  return { object, strict: [...document.yamlDuplicates, ...duplicates, ...unknownFields] };
}

/** @throws {DocumentError} If it is of another kind, unless it is the same kind in an accepted version. */
function checkKind({ apiVersion, kind }: TypeMeta, target: Target): void {
  const { group, version } = parseApiVersion(apiVersion);
  const isSameGroup = group === target.group || [group, target.group].every((one) => EVENT_GROUPS.includes(one));
  if (kind === target.kind && isSameGroup && structOfKind({ group, version }, kind)) return;
  throw new DocumentError(`it is a ${kind} of ${apiVersion}, not a ${target.kind} of ${apiVersionOf(target)}`);
}

/**
 * An empty list of managedFields asks the server to forget all owners, but decoding drops empty lists. A single empty
 * entry means the same and takes its place.
 */
export function keepReset(sent: unknown, object: JsonObject): void {
  if (!isObject(sent) || !isObject(sent.metadata) || !isObject(object.metadata)) return;
  const { managedFields } = sent.metadata;
  if (Array.isArray(managedFields) && managedFields.length === 0) object.metadata.managedFields = [{}];
}

/**
 * Warns about strict decoding errors or refuses them, as the request asks.
 *
 * @throws {DocumentError} If they are refused.
 */
export function heedStrict(strict: readonly string[], { fieldValidation, warnings }: Strictness): void {
  if (strict.length === 0) return;
  if (fieldValidation === "Strict") throw new DocumentError(`strict decoding error: ${strict.join(", ")}`);
  for (const text of strict) warnings.add(text);
}

/** Why a body is refused. Upstream: `apiserver/pkg/endpoints/handlers/rest.go` (transformDecodeError). */
function cannotHandle(why: string, meta: TypeMeta | undefined, target: Target): ApiError {
  if (meta) {
    const { version } = parseApiVersion(meta.apiVersion);
    return badRequest(`${meta.kind} in version "${version}" cannot be handled as a ${target.kind}: ${why}`);
  }
  return badRequest(`the object provided is unrecognized (must be of type ${target.kind}): ${why}`);
}
