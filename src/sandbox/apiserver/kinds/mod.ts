import type { Traits } from "../traits.ts";
import * as core from "./core.ts";
import { customResourceDefinitions } from "./custom_resource_definitions.ts";
import * as extensions from "./extensions.ts";
import { cronJobs, jobs } from "./jobs.ts";
import { pods, podTemplates } from "./pods.ts";
import * as policy from "./policy.ts";
import { endpointSlices, services } from "./services.ts";
import * as volumes from "./volumes.ts";
import * as workloads from "./workloads.ts";

/** The rules of the kinds that have some, by `plural.group`. */
const TRAITS: Readonly<Record<string, Traits<never> | undefined>> = {
  "configmaps": core.configMaps,
  "endpoints": core.endpoints,
  "events": core.events,
  "limitranges": core.limitRanges,
  "namespaces": core.namespaces,
  "nodes": core.nodes,
  "persistentvolumeclaims": volumes.persistentVolumeClaims,
  "persistentvolumes": volumes.persistentVolumes,
  "pods": pods,
  "podtemplates": podTemplates,
  "replicationcontrollers": workloads.replicationControllers,
  "resourcequotas": core.resourceQuotas,
  "secrets": core.secrets,
  "serviceaccounts": core.serviceAccounts,
  "services": services,
  "mutatingadmissionpolicies.admissionregistration.k8s.io": extensions.admissionPolicyBindings,
  "mutatingadmissionpolicybindings.admissionregistration.k8s.io": extensions.admissionPolicyBindings,
  "mutatingwebhookconfigurations.admissionregistration.k8s.io": extensions.webhookConfigurations,
  "validatingadmissionpolicies.admissionregistration.k8s.io": extensions.admissionPolicies,
  "validatingadmissionpolicybindings.admissionregistration.k8s.io": extensions.admissionPolicyBindings,
  "validatingwebhookconfigurations.admissionregistration.k8s.io": extensions.webhookConfigurations,
  "customresourcedefinitions.apiextensions.k8s.io": customResourceDefinitions,
  "controllerrevisions.apps": core.controllerRevisions,
  "daemonsets.apps": workloads.daemonSets,
  "deployments.apps": workloads.deployments,
  "replicasets.apps": workloads.replicaSets,
  "statefulsets.apps": workloads.statefulSets,
  "horizontalpodautoscalers.autoscaling": policy.horizontalPodAutoscalers,
  "cronjobs.batch": cronJobs,
  "jobs.batch": jobs,
  "certificatesigningrequests.certificates.k8s.io": policy.certificateSigningRequests,
  "leases.coordination.k8s.io": policy.leases,
  "endpointslices.discovery.k8s.io": endpointSlices,
  "flowschemas.flowcontrol.apiserver.k8s.io": extensions.flowSchemas,
  "prioritylevelconfigurations.flowcontrol.apiserver.k8s.io": extensions.priorityLevels,
  "ingressclasses.networking.k8s.io": extensions.ingressClasses,
  "ingresses.networking.k8s.io": extensions.ingresses,
  "networkpolicies.networking.k8s.io": extensions.networkPolicies,
  "runtimeclasses.node.k8s.io": policy.runtimeClasses,
  "poddisruptionbudgets.policy": policy.podDisruptionBudgets,
  "clusterrolebindings.rbac.authorization.k8s.io": policy.roleBindings,
  "clusterroles.rbac.authorization.k8s.io": policy.clusterRoles,
  "rolebindings.rbac.authorization.k8s.io": policy.roleBindings,
  "roles.rbac.authorization.k8s.io": policy.roles,
  "deviceclasses.resource.k8s.io": extensions.deviceClasses,
  "resourceclaims.resource.k8s.io": extensions.resourceClaims,
  "resourceclaimtemplates.resource.k8s.io": extensions.resourceClaims,
  "resourceslices.resource.k8s.io": extensions.resourceSlices,
  "priorityclasses.scheduling.k8s.io": policy.priorityClasses,
  "csidrivers.storage.k8s.io": volumes.csiDrivers,
  "csinodes.storage.k8s.io": volumes.csiNodes,
  "csistoragecapacities.storage.k8s.io": volumes.csiStorageCapacities,
  "storageclasses.storage.k8s.io": volumes.storageClasses,
  "volumeattachments.storage.k8s.io": volumes.volumeAttachments,
  "volumeattributesclasses.storage.k8s.io": volumes.volumeAttributesClasses,
};

/** The rules of the kind stored in `collection`, whose objects are of that kind's type; empty for plain storage. */
export function traitsOf(collection: string): Traits {
  return (TRAITS[collection] ?? {}) as Traits;
}
