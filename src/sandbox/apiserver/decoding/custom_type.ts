import { apiVersionOf, parseApiVersion } from "../../../api/mod.ts";
import { canonicalJson } from "../../../base/mod.ts";
import { invalid, isObject } from "../base/mod.ts";
import { FieldErrors } from "../validation/mod.ts";
import { type Document, DocumentError } from "./document.ts";
import type { Target } from "./type_meta.ts";

/**
 * The apiVersion, kind and name of a custom resource. Unlike built-in kinds, it cannot leave its kind to the path.
 *
 * @throws {DocumentError} If it has no kind.
 */
export function customMetaOf({ value, text }: Document) {
  const { apiVersion, kind, metadata } = isObject(value) ? value : {};
  const textOf = (one: unknown) => typeof one === "string" ? one : "";
  if (textOf(kind) === "") throw new DocumentError(`Object 'Kind' is missing in '${text ?? canonicalJson(value)}'`);
  const name = isObject(metadata) ? metadata.name : "";
  return { apiVersion: textOf(apiVersion), kind: textOf(kind), name: textOf(name) };
}

/**
 * Checks that an object has the kind of its definition. Upstream: ValidateTypeMeta in
 * `pkg/registry/customresource/validator.go`.
 *
 * @throws {ApiError} 422 if it does not.
 */
export function checkCustomKind(document: Document, target: Target): void {
  const { apiVersion, kind, name } = customMetaOf(document);
  const wanted = apiVersionOf(target);
  if (kind === target.kind && apiVersion === wanted) return;
  const errors = new FieldErrors();
  if (kind !== target.kind) errors.invalid("kind", kind, `must be ${target.kind}`);
  if (apiVersion !== wanted) errors.invalid("apiVersion", apiVersion, `must be ${wanted}`);
  throw invalid({ group: parseApiVersion(apiVersion).group, plural: "", kind }, name, errors.causes);
}
