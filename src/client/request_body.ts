import { apiVersionOf, type KubeObject, type Resource } from "../api/mod.ts";
import { canonicalJson, stringifyJson } from "../base/mod.ts";
import type { Call } from "./call.ts";
import type { DeleteObjectOptions, WriteOptions } from "./client_options.ts";
import { ACCEPT_JSON, JSON_TYPE } from "./content_types.ts";

/** The part of a call that describes its body and the expected answer. */
export type RequestBody = Required<Pick<Call, "body" | "contentType" | "accept">>;

/** Any value as JSON. */
export function jsonBody(body: unknown, contentType: string = JSON_TYPE): RequestBody {
  return { body: stringifyJson(body), contentType, accept: ACCEPT_JSON };
}

/** The body for writing an object. */
export function objectBody(object: KubeObject, { isCanonical }: WriteOptions): RequestBody {
  return {
    body: isCanonical ? canonicalJson(object) : stringifyJson(object),
    contentType: JSON_TYPE,
    accept: ACCEPT_JSON,
  };
}

/** `object` with its apiVersion and kind. The path identifies built-in types, but custom resources must name theirs. */
export function withKind<T extends KubeObject>(resource: Resource, object: T): T {
  if (object.apiVersion && object.kind) return object;
  return { ...object, apiVersion: apiVersionOf(resource), kind: resource.kind };
}

/** The body for deleting objects. */
export function deleteBody(resource: Resource, deleteOptions: DeleteObjectOptions): RequestBody {
  const { gracePeriodSeconds, propagationPolicy, preconditions, dryRun } = deleteOptions;
  return jsonBody({
    kind: "DeleteOptions",
    apiVersion: apiVersionOf(resource),
    gracePeriodSeconds,
    preconditions,
    propagationPolicy,
    dryRun: dryRun ? ["All"] : undefined,
  });
}
