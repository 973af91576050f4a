import { apiVersionOf, parseApiVersion } from "../../../api/mod.ts";
import { badRequest, isObject, type JsonObject, type RequestBody, translate } from "../base/mod.ts";
import { type Document, DocumentError, type Strictness, type Target, yamlDocument } from "../decoding/mod.ts";
import { typeName } from "../schema/mod.ts";

/**
 * Reads the body of an apply.
 *
 * @throws {ApiError} 400 if it is not YAML, or not an object of the kind.
 */
export function readApplied(body: RequestBody, target: Pick<Target, "group" | "version" | "kind">): JsonObject {
  const { value } = readYamlBody(body);
  const applied = value ?? {};
  if (!isObject(applied)) throw badRequest(`error decoding YAML: it must be an object, not ${typeName(applied)}`);
  const { apiVersion, kind, metadata } = applied;
  if (apiVersion !== apiVersionOf(target) || kind !== target.kind) {
    throw badRequest(`invalid object type: ${typeText(apiVersion, kind)}`);
  }
  if (isObject(metadata) && Array.isArray(metadata.managedFields)) {
    throw badRequest("metadata.managedFields must be nil");
  }
  return applied;
}

/**
 * Warns about duplicate keys or refuses them, as the request asks, once the rest is known to apply.
 *
 * @throws {ApiError} 400.
 */
export function heedDuplicates(body: RequestBody, { fieldValidation, warnings }: Strictness): void {
  if (fieldValidation === "Ignore") return;
  const { yamlDuplicates } = readYamlBody(body);
  if (yamlDuplicates.length === 0) return;
  if (fieldValidation === "Strict") throw badRequest(`error strict decoding YAML: ${yamlDuplicates.join(", ")}`);
  for (const text of yamlDuplicates) warnings.add(text);
}

const documents = new WeakMap<RequestBody, Document>();

/** Parses a body as YAML once. */
function readYamlBody(body: RequestBody): Document {
  const known = documents.get(body);
  if (known) return known;
  const read = () => yamlDocument(body.text());
  const document = translate(read, DocumentError, (why) => badRequest(`error decoding YAML: ${why}`));
  documents.set(body, document);
  return document;
}

/** A kind as Go prints it: `apps/v1, Kind=Deployment`. */
function typeText(apiVersion: unknown, kind: unknown): string {
  const { group, version } = parseApiVersion(typeof apiVersion === "string" ? apiVersion : "");
  return `${group}/${version}, Kind=${typeof kind === "string" ? kind : ""}`;
}
