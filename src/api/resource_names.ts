import { BUILT_IN_RESOURCES } from "./generated_resources.ts";
import type { Resource } from "./resource.ts";
import { findResource, groupResource } from "./resource_paths.ts";

/** Names by which kubectl knows built-in resources besides their plural and their kind; by `plural.group`. */
export const SHORT_NAMES: Readonly<Record<string, readonly string[]>> = {
  "certificatesigningrequests.certificates.k8s.io": ["csr"],
  "configmaps": ["cm"],
  "cronjobs.batch": ["cj"],
  "customresourcedefinitions.apiextensions.k8s.io": ["crd", "crds"],
  "daemonsets.apps": ["ds"],
  "deployments.apps": ["deploy"],
  "endpoints": ["ep"],
  "events": ["ev"],
  "events.events.k8s.io": ["ev"],
  "horizontalpodautoscalers.autoscaling": ["hpa"],
  "ingresses.networking.k8s.io": ["ing"],
  "ipaddresses.networking.k8s.io": ["ip"],
  "componentstatuses": ["cs"],
  "limitranges": ["limits"],
  "namespaces": ["ns"],
  "networkpolicies.networking.k8s.io": ["netpol"],
  "nodes": ["no"],
  "persistentvolumeclaims": ["pvc"],
  "persistentvolumes": ["pv"],
  "poddisruptionbudgets.policy": ["pdb"],
  "pods": ["po"],
  "priorityclasses.scheduling.k8s.io": ["pc"],
  "replicasets.apps": ["rs"],
  "replicationcontrollers": ["rc"],
  "resourcequotas": ["quota"],
  "serviceaccounts": ["sa"],
  "services": ["svc"],
  "statefulsets.apps": ["sts"],
  "storageclasses.storage.k8s.io": ["sc"],
  "volumeattributesclasses.storage.k8s.io": ["vac"],
};

/**
 * The built-in resource that a person calls `text`: a plural, a kind, a short name, or `plural.group`, in any case.
 *
 * @example
 * ```ts
 * import { resourceCalled } from "kubeloop/api";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(["po", "Deployment", "jobs.batch"].map((text) => resourceCalled(text)?.kind), ["Pod", "Deployment", "Job"]);
 * assertEquals(resourceCalled("sites"), undefined);
 * ```
 */
export function resourceCalled(text: string): Resource | undefined {
  const wanted = text.toLowerCase();
  const id = Object.keys(SHORT_NAMES).find((each) => SHORT_NAMES[each].includes(wanted)) ?? wanted;
  const found = BUILT_IN_RESOURCES.find((resource) =>
    [resource.plural, resource.kind.toLowerCase(), groupResource(resource)].includes(id)
  );
  return found && findResource({ group: found.group, plural: found.plural });
}
