import type { KubeObject } from "../../../../api/mod.ts";
import * as access from "./access.ts";
import * as core from "./core.ts";
import * as extensions from "./extensions.ts";
import * as networking from "./networking.ts";
import * as storage from "./storage.ts";
import * as workloads from "./workloads.ts";
import { AGE, type Column, flag, integer, NAME, type TableRules, text } from "../columns/mod.ts";
import { horizontalPodAutoscalers } from "./autoscaling.ts";
import { pods } from "./pods.ts";

const WEBHOOKS: readonly Column<KubeObject>[] = [NAME, integer("Webhooks", "webhooks.length"), AGE];

/** The columns of kinds that have their own, by `plural.group`. */
const TABLES: Readonly<Record<string, readonly Column<never>[] | TableRules<never> | undefined>> = {
  "componentstatuses": core.componentStatuses,
  "configmaps": core.configMaps,
  "endpoints": core.endpoints,
  "events": core.events,
  "namespaces": [NAME, text("Status", "status.phase"), AGE],
  "nodes": core.nodes,
  "persistentvolumeclaims": storage.persistentVolumeClaims,
  "persistentvolumes": storage.persistentVolumes,
  "pods": pods,
  "podtemplates": core.podTemplates,
  "replicationcontrollers": workloads.replicaSets,
  "resourcequotas": core.resourceQuotas,
  "secrets": core.secrets,
  "serviceaccounts": [NAME, AGE],
  "services": networking.services,
  "mutatingadmissionpolicies.admissionregistration.k8s.io": extensions.policies("Mutations"),
  "mutatingadmissionpolicybindings.admissionregistration.k8s.io": extensions.admissionPolicyBindings,
  "mutatingwebhookconfigurations.admissionregistration.k8s.io": WEBHOOKS,
  "validatingadmissionpolicies.admissionregistration.k8s.io": extensions.policies("Validations"),
  "validatingadmissionpolicybindings.admissionregistration.k8s.io": extensions.admissionPolicyBindings,
  "validatingwebhookconfigurations.admissionregistration.k8s.io": WEBHOOKS,
  "apiservices.apiregistration.k8s.io": access.apiServices,
  "controllerrevisions.apps": workloads.controllerRevisions,
  "daemonsets.apps": workloads.daemonSets,
  "deployments.apps": workloads.deployments,
  "replicasets.apps": workloads.replicaSets,
  "statefulsets.apps": workloads.statefulSets,
  "horizontalpodautoscalers.autoscaling": horizontalPodAutoscalers,
  "cronjobs.batch": workloads.cronJobs,
  "jobs.batch": workloads.jobs,
  "certificatesigningrequests.certificates.k8s.io": access.certificateSigningRequests,
  "leases.coordination.k8s.io": [NAME, text("Holder", "spec.holderIdentity"), AGE],
  "endpointslices.discovery.k8s.io": networking.endpointSlices,
  "flowschemas.flowcontrol.apiserver.k8s.io": extensions.flowSchemas,
  "prioritylevelconfigurations.flowcontrol.apiserver.k8s.io": extensions.priorityLevels,
  "ingressclasses.networking.k8s.io": networking.ingressClasses,
  "ingresses.networking.k8s.io": networking.ingresses,
  "ipaddresses.networking.k8s.io": { columns: networking.ipAddresses, extraCells: [AGE.cell] },
  "networkpolicies.networking.k8s.io": networking.networkPolicies,
  "servicecidrs.networking.k8s.io": networking.serviceCidrs,
  "runtimeclasses.node.k8s.io": [NAME, text("Handler", "handler"), AGE],
  "poddisruptionbudgets.policy": access.podDisruptionBudgets,
  "clusterrolebindings.rbac.authorization.k8s.io": access.roleBindings,
  "rolebindings.rbac.authorization.k8s.io": access.roleBindings,
  "deviceclasses.resource.k8s.io": [NAME, AGE],
  "resourceclaims.resource.k8s.io": extensions.resourceClaims,
  "resourceclaimtemplates.resource.k8s.io": [NAME, AGE],
  "resourceslices.resource.k8s.io": [
    NAME,
    text("Node", "spec.nodeName"),
    text("Driver", "spec.driver"),
    text("Pool", "spec.pool.name"),
    AGE,
  ],
  "priorityclasses.scheduling.k8s.io": [
    NAME,
    integer("Value", "value"),
    flag("Global-Default", "globalDefault"),
    AGE,
    text("PreemptionPolicy", "preemptionPolicy"),
  ],
  "csidrivers.storage.k8s.io": storage.csiDrivers,
  "csinodes.storage.k8s.io": [NAME, integer("Drivers", "spec.drivers.length"), AGE],
  "storageclasses.storage.k8s.io": storage.storageClasses,
  "volumeattachments.storage.k8s.io": [
    NAME,
    { ...text("Attacher", "spec.attacher"), format: "name" },
    text("PV", "spec.source.persistentVolumeName"),
    text("Node", "spec.nodeName"),
    flag("Attached", "status.attached"),
    AGE,
  ],
  "volumeattributesclasses.storage.k8s.io": [NAME, text("DriverName", "driverName"), AGE],
};

/** Go's zero time. */
const ZERO_TIME = "0001-01-01T00:00:00Z";

/** The columns of all other kinds. */
const DEFAULT: TableRules = {
  columns: [NAME, {
    name: "Created At",
    type: "date",
    format: "",
    priority: 0,
    cell: ({ metadata }) => metadata.creationTimestamp ?? ZERO_TIME,
  }],
  emptyIsNull: true,
};

/** The table of the built-in kind stored in `collection`. */
export function tableOf(collection: string): TableRules {
  const found = TABLES[collection];
  if (!found) return DEFAULT;
  // The type of its objects follows only from the collection's name.
  return ("columns" in found ? found : { columns: found }) as TableRules;
}
