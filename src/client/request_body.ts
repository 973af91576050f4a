import { apiVersionOf, type KubeObject, type Resource } from "../api/mod.ts";
import { canonicalJson, stringifyJson } from "../base/mod.ts";
import type { Call } from "./call.ts";
import type { DeleteObjectOptions, WriteOptions } from "./client_options.ts";
import { ACCEPT_JSON, JSON_TYPE } from "./content_types.ts";

/** What of a call says what is sent, and how it is to be answered. */
export type RequestBody = Required<Pick<Call, "body" | "contentType" | "accept">>;

/** Any value as JSON. */
export function jsonBody(body: unknown, contentType: string = JSON_TYPE): RequestBody {
  return { body: stringifyJson(body), contentType, accept: ACCEPT_JSON };
}

/** An object as it is written. */
export function objectBody(object: KubeObject, { isCanonical }: WriteOptions): RequestBody {
  return {
    body: isCanonical ? canonicalJson(object) : stringifyJson(object),
    contentType: JSON_TYPE,
    accept: ACCEPT_JSON,
  };
}

/** `object` with its apiVersion and kind. Built-in types are known by their path, but custom resources must say what they are. */
export function withKind<T extends KubeObject>(resource: Resource, object: T): T {
  if (object.apiVersion && object.kind) return object;
  return { ...object, apiVersion: apiVersionOf(resource), kind: resource.kind };
}

/** How objects are to be deleted. */
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
