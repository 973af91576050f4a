import * as access from "./access.ts";
import * as batch from "./batch/mod.ts";
import * as certificates from "./certificates/mod.ts";
import * as classes from "./classes.ts";
import * as core from "./core/mod.ts";
import * as devices from "./devices/mod.ts";
import * as extensions from "./extensions.ts";
import * as networking from "./networking/mod.ts";
import * as pods from "./pods/mod.ts";
import * as services from "./services/mod.ts";
import * as storage from "./storage/mod.ts";
import * as workloads from "./workloads/mod.ts";
import type { Traits } from "../traits/mod.ts";
import { apiServices } from "./api_services.ts";
import { horizontalPodAutoscalers } from "./autoscalers.ts";
import { customResourceDefinitions } from "./custom_resource_definitions.ts";
import { podDisruptionBudgets } from "./disruption_budgets.ts";
import * as gangs from "./gangs.ts";
import { leases } from "./leases.ts";
import { storageVersionMigrations, storageVersions } from "./storage_versions.ts";
import { mutatingWebhooks, validatingWebhooks } from "./webhooks.ts";

export {
  mayFor,
  type SigningRequest,
  stampConditions,
  validateConditions,
  validateDecision,
} from "./certificates/mod.ts";
export { CLEANUP_FINALIZER } from "./custom_resource_definitions.ts";

/** The rules of kinds that have any, by `plural.group`. */
const TRAITS: Readonly<Record<string, Traits<never> | undefined>> = {
  "configmaps": core.configMaps,
  "endpoints": core.endpoints,
  "events": core.events,
  "events.events.k8s.io": core.structuredEvents,
  "limitranges": core.limitRanges,
  "namespaces": core.namespaces,
  "nodes": core.nodes,
  "persistentvolumeclaims": storage.persistentVolumeClaims,
  "persistentvolumes": storage.persistentVolumes,
  "pods": pods.pods,
  "podtemplates": pods.podTemplates,
  "replicationcontrollers": workloads.replicationControllers,
  "resourcequotas": core.resourceQuotas,
  "secrets": core.secrets,
  "serviceaccounts": core.serviceAccounts,
  "services": services.services,
  "mutatingadmissionpolicies.admissionregistration.k8s.io": extensions.mutatingPolicies,
  "mutatingadmissionpolicybindings.admissionregistration.k8s.io": extensions.mutatingPolicies,
  "mutatingwebhookconfigurations.admissionregistration.k8s.io": mutatingWebhooks,
  "validatingadmissionpolicies.admissionregistration.k8s.io": extensions.admissionPolicies,
  "validatingadmissionpolicybindings.admissionregistration.k8s.io": extensions.admissionPolicyBindings,
  "validatingwebhookconfigurations.admissionregistration.k8s.io": validatingWebhooks,
  "customresourcedefinitions.apiextensions.k8s.io": customResourceDefinitions,
  "apiservices.apiregistration.k8s.io": apiServices,
  "controllerrevisions.apps": workloads.controllerRevisions,
  "daemonsets.apps": workloads.daemonSets,
  "deployments.apps": workloads.deployments,
  "replicasets.apps": workloads.replicaSets,
  "statefulsets.apps": workloads.statefulSets,
  "horizontalpodautoscalers.autoscaling": horizontalPodAutoscalers,
  "cronjobs.batch": batch.cronJobs,
  "jobs.batch": batch.jobs,
  "certificatesigningrequests.certificates.k8s.io": certificates.certificateSigningRequests,
  "clustertrustbundles.certificates.k8s.io": certificates.clusterTrustBundles,
  "podcertificaterequests.certificates.k8s.io": certificates.podCertificateRequests,
  "leases.coordination.k8s.io": leases,
  "endpointslices.discovery.k8s.io": core.endpointSlices,
  "flowschemas.flowcontrol.apiserver.k8s.io": extensions.flowControl,
  "prioritylevelconfigurations.flowcontrol.apiserver.k8s.io": extensions.flowControl,
  "storageversions.internal.apiserver.k8s.io": storageVersions,
  "ingressclasses.networking.k8s.io": networking.ingressClasses,
  "ingresses.networking.k8s.io": networking.ingresses,
  "ipaddresses.networking.k8s.io": networking.ipAddresses,
  "networkpolicies.networking.k8s.io": networking.networkPolicies,
  "servicecidrs.networking.k8s.io": networking.serviceCidrs,
  "runtimeclasses.node.k8s.io": classes.runtimeClasses,
  "poddisruptionbudgets.policy": podDisruptionBudgets,
  "clusterrolebindings.rbac.authorization.k8s.io": access.clusterRoleBindings,
  "clusterroles.rbac.authorization.k8s.io": access.clusterRoles,
  "rolebindings.rbac.authorization.k8s.io": access.roleBindings,
  "roles.rbac.authorization.k8s.io": access.roles,
  "deviceclasses.resource.k8s.io": devices.deviceClasses,
  "devicetaintrules.resource.k8s.io": devices.deviceTaintRules,
  "resourceclaims.resource.k8s.io": devices.resourceClaims,
  "resourceclaimtemplates.resource.k8s.io": devices.resourceClaimTemplates,
  "resourcepoolstatusrequests.resource.k8s.io": devices.resourcePoolStatusRequests,
  "resourceslices.resource.k8s.io": devices.resourceSlices,
  "podgroups.scheduling.k8s.io": gangs.podGroups,
  "priorityclasses.scheduling.k8s.io": classes.priorityClasses,
  "workloads.scheduling.k8s.io": gangs.workloads,
  "storageversionmigrations.storagemigration.k8s.io": storageVersionMigrations,
  "csidrivers.storage.k8s.io": storage.csiDrivers,
  "csinodes.storage.k8s.io": storage.csiNodes,
  "csistoragecapacities.storage.k8s.io": storage.csiStorageCapacities,
  "storageclasses.storage.k8s.io": storage.storageClasses,
  "volumeattachments.storage.k8s.io": storage.volumeAttachments,
  "volumeattributesclasses.storage.k8s.io": storage.volumeAttributesClasses,
};

/**
 * The rules of a kind; empty if it is only stored.
 *
 * @param id `plural.group`; a kind stored in another one's collection may have its own rules.
 */
export function traitsOf(id: string, collection: string): Traits {
  return (TRAITS[id] ?? TRAITS[collection] ?? {}) as Traits;
}
