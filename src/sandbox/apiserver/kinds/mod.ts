import type { Traits } from "../traits.ts";
import * as access from "./access.ts";
import { apiServices } from "./api_services.ts";
import { horizontalPodAutoscalers } from "./autoscalers.ts";
import * as batch from "./batch/mod.ts";
import { certificateSigningRequests } from "./certificates.ts";
import * as classes from "./classes.ts";
import * as accounts from "./core/accounts.ts";
import * as data from "./core/data.ts";
import * as endpoints from "./core/endpoints.ts";
import * as events from "./core/events.ts";
import { limitRanges } from "./core/limits.ts";
import { namespaces } from "./core/namespaces.ts";
import { nodes } from "./core/nodes.ts";
import { resourceQuotas } from "./core/quotas.ts";
import { customResourceDefinitions } from "./custom_resource_definitions.ts";
import { podDisruptionBudgets } from "./disruption_budgets.ts";
import * as extensions from "./extensions.ts";
import { leases } from "./leases.ts";
import * as addresses from "./networking/addresses.ts";
import * as ingresses from "./networking/ingresses.ts";
import { networkPolicies } from "./networking/policies.ts";
import * as pods from "./pods/mod.ts";
import { services } from "./services/mod.ts";
import { persistentVolumeClaims } from "./storage/claims.ts";
import * as storage from "./storage/classes.ts";
import { persistentVolumes } from "./storage/volumes.ts";
import * as daemon from "./workloads/daemon.ts";
import * as replicated from "./workloads/replicated.ts";
import { statefulSets } from "./workloads/stateful.ts";
import { mutatingWebhooks, validatingWebhooks } from "./webhooks.ts";

/** The rules of the kinds that have some, by `plural.group`. */
const TRAITS: Readonly<Record<string, Traits<never> | undefined>> = {
  "configmaps": data.configMaps,
  "endpoints": endpoints.endpoints,
  "events": events.events,
  "events.events.k8s.io": events.structuredEvents,
  "limitranges": limitRanges,
  "namespaces": namespaces,
  "nodes": nodes,
  "persistentvolumeclaims": persistentVolumeClaims,
  "persistentvolumes": persistentVolumes,
  "pods": pods.pods,
  "podtemplates": pods.podTemplates,
  "replicationcontrollers": replicated.replicationControllers,
  "resourcequotas": resourceQuotas,
  "secrets": data.secrets,
  "serviceaccounts": accounts.serviceAccounts,
  "services": services,
  "mutatingadmissionpolicies.admissionregistration.k8s.io": extensions.mutatingPolicies,
  "mutatingadmissionpolicybindings.admissionregistration.k8s.io": extensions.mutatingPolicies,
  "mutatingwebhookconfigurations.admissionregistration.k8s.io": mutatingWebhooks,
  "validatingadmissionpolicies.admissionregistration.k8s.io": extensions.admissionPolicies,
  "validatingadmissionpolicybindings.admissionregistration.k8s.io": extensions.admissionPolicyBindings,
  "validatingwebhookconfigurations.admissionregistration.k8s.io": validatingWebhooks,
  "customresourcedefinitions.apiextensions.k8s.io": customResourceDefinitions,
  "apiservices.apiregistration.k8s.io": apiServices,
  "controllerrevisions.apps": daemon.controllerRevisions,
  "daemonsets.apps": daemon.daemonSets,
  "deployments.apps": replicated.deployments,
  "replicasets.apps": replicated.replicaSets,
  "statefulsets.apps": statefulSets,
  "horizontalpodautoscalers.autoscaling": horizontalPodAutoscalers,
  "cronjobs.batch": batch.cronJobs,
  "jobs.batch": batch.jobs,
  "certificatesigningrequests.certificates.k8s.io": certificateSigningRequests,
  "leases.coordination.k8s.io": leases,
  "endpointslices.discovery.k8s.io": endpoints.endpointSlices,
  "flowschemas.flowcontrol.apiserver.k8s.io": extensions.flowSchemas,
  "prioritylevelconfigurations.flowcontrol.apiserver.k8s.io": extensions.priorityLevels,
  "ingressclasses.networking.k8s.io": ingresses.ingressClasses,
  "ingresses.networking.k8s.io": ingresses.ingresses,
  "ipaddresses.networking.k8s.io": addresses.ipAddresses,
  "networkpolicies.networking.k8s.io": networkPolicies,
  "servicecidrs.networking.k8s.io": addresses.serviceCidrs,
  "runtimeclasses.node.k8s.io": classes.runtimeClasses,
  "poddisruptionbudgets.policy": podDisruptionBudgets,
  "clusterrolebindings.rbac.authorization.k8s.io": access.clusterRoleBindings,
  "clusterroles.rbac.authorization.k8s.io": access.clusterRoles,
  "rolebindings.rbac.authorization.k8s.io": access.roleBindings,
  "roles.rbac.authorization.k8s.io": access.roles,
  "deviceclasses.resource.k8s.io": extensions.deviceClasses,
  "resourceclaims.resource.k8s.io": extensions.resourceClaims,
  "resourceclaimtemplates.resource.k8s.io": extensions.resourceClaims,
  "resourceslices.resource.k8s.io": extensions.resourceSlices,
  "priorityclasses.scheduling.k8s.io": classes.priorityClasses,
  "csidrivers.storage.k8s.io": storage.csiDrivers,
  "csinodes.storage.k8s.io": storage.csiNodes,
  "csistoragecapacities.storage.k8s.io": storage.csiStorageCapacities,
  "storageclasses.storage.k8s.io": storage.storageClasses,
  "volumeattachments.storage.k8s.io": storage.volumeAttachments,
  "volumeattributesclasses.storage.k8s.io": storage.volumeAttributesClasses,
};

/**
 * The rules of a kind; empty for plain storage.
 *
 * @param id `plural.group`, which may have rules of its own for objects that are stored in another one's collection.
 */
export function traitsOf(id: string, collection: string): Traits {
  return (TRAITS[id] ?? TRAITS[collection] ?? {}) as Traits;
}
