import { apiVersionOf, parseApiVersion } from "../../../api/mod.ts";
import { canonicalJson } from "../../../base/mod.ts";
import { badRequest, invalid, isObject } from "../base/mod.ts";
import { FieldErrors } from "../validation/mod.ts";
import { type Document, DocumentError } from "./document.ts";
import type { Target } from "./type_meta.ts";

function metaOf({ value }: Document): { readonly apiVersion: string; readonly kind: string; readonly name: string } {
  const { apiVersion, kind, metadata } = isObject(value) ? value : {};
  const text = (one: unknown) => typeof one === "string" ? one : "";
  return { apiVersion: text(apiVersion), kind: text(kind), name: text(isObject(metadata) ? metadata.name : "") };
}

/**
 * Checks apiVersion and kind of a custom resource in a body. Unlike built-in kinds, it cannot leave them to the path.
 *
 * @throws {DocumentError} If it has no kind.
 * @throws {ApiError} 400 if it has another version.
 */
export function checkCustomVersion(document: Document, target: Target): void {
  checkKindIsThere(document);
  const { apiVersion } = metaOf(document);
  const wanted = apiVersionOf(target);
  if (apiVersion === wanted) return;
  throw badRequest(`the API version in the data (${apiVersion}) does not match the expected API version (${wanted})`);
}

function checkKindIsThere(document: Document): void {
  if (metaOf(document).kind !== "") return;
  throw new DocumentError(`Object 'Kind' is missing in '${document.text ?? canonicalJson(document.value)}'`);
}

/**
 * Checks that an object has the kind of its definition. Upstream: ValidateTypeMeta in
 * `pkg/registry/customresource/validator.go`.
 *
 * @throws {ApiError} 422 if it does not.
 */
export function checkCustomKind(document: Document, target: Target): void {
  checkKindIsThere(document);
  const { apiVersion, kind, name } = metaOf(document);
  const wanted = apiVersionOf(target);
  if (kind === target.kind && apiVersion === wanted) return;
  const errors = new FieldErrors();
  if (kind !== target.kind) errors.invalid("kind", kind, `must be ${target.kind}`);
  if (apiVersion !== wanted) errors.invalid("apiVersion", apiVersion, `must be ${wanted}`);
  throw invalid({ group: parseApiVersion(apiVersion).group, plural: "", kind }, name, errors.causes);
}
