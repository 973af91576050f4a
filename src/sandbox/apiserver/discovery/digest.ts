import { createHash } from "node:crypto";
import type { ServedResource } from "../resources/mod.ts";

/** Upper-case hexadecimal SHA-512, used as a document's ETag and in addresses of immutable documents. */
export function contentHash(text: string): string {
  return createHash("sha512").update(text).digest("hex").toUpperCase();
}

/** Kinds that upstream stores in another version than the one it serves, by `plural.group`. */
const STORED_AS: Readonly<Record<string, string>> = {
  "customresourcedefinitions.apiextensions.k8s.io": "apiextensions.k8s.io/v1beta1",
  "events": "/v1",
  "horizontalpodautoscalers.autoscaling": "autoscaling/v2",
  "mutatingadmissionpolicies.admissionregistration.k8s.io": "admissionregistration.k8s.io/v1beta1",
  "mutatingadmissionpolicybindings.admissionregistration.k8s.io": "admissionregistration.k8s.io/v1beta1",
};

/**
 * Lets clients compare storage versions without knowing them. Upstream: StorageVersionHash in
 * `apiserver/pkg/endpoints/discovery/storageversionhash.go`.
 */
export function storageVersionHash(
  { collection, group, kind, version }: Pick<ServedResource, "collection" | "group" | "kind" | "version">,
): string {
  const storedAs = STORED_AS[collection] ?? `${group}/${version}`;
  return createHash("sha256").update(`${storedAs}/${kind}`).digest().subarray(0, 8).toString("base64");
}
