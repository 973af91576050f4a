import type { BuiltController, ControllerRow } from "./running/mod.ts";
import { BOOTSTRAP_SIGNER_CONTROLLER } from "./bootstrap_signer/mod.ts";
import { CERTIFICATE_APPROVING_CONTROLLER } from "./certificate_approving/mod.ts";
import { CERTIFICATE_CLEANER_CONTROLLER } from "./certificate_cleaner/mod.ts";
import { CERTIFICATE_SIGNING_CONTROLLER } from "./certificate_signing/mod.ts";
import { CLOUD_NODE_CONTROLLER } from "./cloud_node/mod.ts";
import { CLOUD_NODE_LIFECYCLE_CONTROLLER } from "./cloud_node_lifecycle/mod.ts";
import { CLUSTERROLE_AGGREGATION_CONTROLLER } from "./clusterrole_aggregation/mod.ts";
import { CLUSTERTRUSTBUNDLE_PUBLISHER_CONTROLLER } from "./clustertrustbundle_publisher/mod.ts";
import { CRONJOB_CONTROLLER } from "./cronjob/mod.ts";
import { DAEMONSET_CONTROLLER } from "./daemonset/mod.ts";
import { DEPLOYMENT_CONTROLLER } from "./deployment/mod.ts";
import { DEVICE_TAINT_EVICTION_CONTROLLER } from "./device_taint_eviction/mod.ts";
import { DISRUPTION_CONTROLLER } from "./disruption/mod.ts";
import { ENDPOINTS_CONTROLLER } from "./endpoints/mod.ts";
import { ENDPOINTSLICE_CONTROLLER } from "./endpointslice/mod.ts";
import { ENDPOINTSLICE_MIRRORING_CONTROLLER } from "./endpointslice_mirroring/mod.ts";
import { EPHEMERAL_VOLUME_CONTROLLER } from "./ephemeral_volume/mod.ts";
import { GARBAGE_COLLECTOR_CONTROLLER } from "./garbage_collector/mod.ts";
import { HORIZONTAL_POD_AUTOSCALER_CONTROLLER } from "./horizontal_pod_autoscaler/mod.ts";
import { JOB_CONTROLLER } from "./job/mod.ts";
import { LEGACY_SERVICEACCOUNT_TOKEN_CLEANER_CONTROLLER } from "./legacy_serviceaccount_token_cleaner/mod.ts";
import { NAMESPACE_CONTROLLER } from "./namespace/mod.ts";
import { NODE_IPAM_CONTROLLER } from "./node_ipam/mod.ts";
import { NODE_LIFECYCLE_CONTROLLER } from "./node_lifecycle/mod.ts";
import { NODE_ROUTE_CONTROLLER } from "./node_route/mod.ts";
import { PERSISTENTVOLUME_ATTACH_DETACH_CONTROLLER } from "./persistentvolume_attach_detach/mod.ts";
import { PERSISTENTVOLUME_BINDER_CONTROLLER } from "./persistentvolume_binder/mod.ts";
import { PERSISTENTVOLUME_EXPANDER_CONTROLLER } from "./persistentvolume_expander/mod.ts";
import { PERSISTENTVOLUME_PROTECTION_CONTROLLER } from "./persistentvolume_protection/mod.ts";
import { PERSISTENTVOLUMECLAIM_PROTECTION_CONTROLLER } from "./persistentvolumeclaim_protection/mod.ts";
import { POD_GARBAGE_COLLECTOR_CONTROLLER } from "./pod_garbage_collector/mod.ts";
import { PODCERTIFICATEREQUEST_CLEANER_CONTROLLER } from "./podcertificaterequest_cleaner/mod.ts";
import { PODGROUP_PROTECTION_CONTROLLER } from "./podgroup_protection/mod.ts";
import { REPLICASET_CONTROLLER } from "./replicaset/mod.ts";
import { REPLICATIONCONTROLLER_CONTROLLER } from "./replicationcontroller/mod.ts";
import { RESOURCECLAIM_CONTROLLER } from "./resourceclaim/mod.ts";
import { RESOURCEPOOLSTATUSREQUEST_CONTROLLER } from "./resourcepoolstatusrequest/mod.ts";
import { RESOURCEQUOTA_CONTROLLER } from "./resourcequota/mod.ts";
import { ROOT_CA_PUBLISHER_CONTROLLER } from "./root_ca_publisher/mod.ts";
import { SELINUX_WARNING_CONTROLLER } from "./selinux_warning/mod.ts";
import { SERVICE_CIDR_CONTROLLER } from "./service_cidr/mod.ts";
import { SERVICE_LB_CONTROLLER } from "./service_lb/mod.ts";
import { SERVICEACCOUNT_CONTROLLER } from "./serviceaccount/mod.ts";
import { SERVICEACCOUNT_TOKEN_CONTROLLER } from "./serviceaccount_token/mod.ts";
import { STATEFULSET_CONTROLLER } from "./statefulset/mod.ts";
import { STORAGE_VERSION_MIGRATOR_CONTROLLER } from "./storage_version_migrator/mod.ts";
import { STORAGEVERSION_GARBAGE_COLLECTOR_CONTROLLER } from "./storageversion_garbage_collector/mod.ts";
import { TAINT_EVICTION_CONTROLLER } from "./taint_eviction/mod.ts";
import { TOKEN_CLEANER_CONTROLLER } from "./token_cleaner/mod.ts";
import { TTL_CONTROLLER } from "./ttl/mod.ts";
import { TTL_AFTER_FINISHED_CONTROLLER } from "./ttl_after_finished/mod.ts";
import { VALIDATINGADMISSIONPOLICY_STATUS_CONTROLLER } from "./validatingadmissionpolicy_status/mod.ts";
import { VOLUMEATTRIBUTESCLASS_PROTECTION_CONTROLLER } from "./volumeattributesclass_protection/mod.ts";

/** Every controller of Kubernetes v1.36, in upstream's order, whether kubeloop has it yet or not: a manifest that names one must not fail. */
export const KNOWN_CONTROLLERS: readonly ControllerRow[] = [
  SERVICEACCOUNT_TOKEN_CONTROLLER,
  ENDPOINTS_CONTROLLER,
  ENDPOINTSLICE_CONTROLLER,
  ENDPOINTSLICE_MIRRORING_CONTROLLER,
  REPLICATIONCONTROLLER_CONTROLLER,
  POD_GARBAGE_COLLECTOR_CONTROLLER,
  RESOURCEQUOTA_CONTROLLER,
  NAMESPACE_CONTROLLER,
  SERVICEACCOUNT_CONTROLLER,
  GARBAGE_COLLECTOR_CONTROLLER,
  DAEMONSET_CONTROLLER,
  JOB_CONTROLLER,
  PODGROUP_PROTECTION_CONTROLLER,
  DEPLOYMENT_CONTROLLER,
  REPLICASET_CONTROLLER,
  HORIZONTAL_POD_AUTOSCALER_CONTROLLER,
  DISRUPTION_CONTROLLER,
  STATEFULSET_CONTROLLER,
  CRONJOB_CONTROLLER,
  CERTIFICATE_SIGNING_CONTROLLER,
  CERTIFICATE_APPROVING_CONTROLLER,
  CERTIFICATE_CLEANER_CONTROLLER,
  PODCERTIFICATEREQUEST_CLEANER_CONTROLLER,
  TTL_CONTROLLER,
  BOOTSTRAP_SIGNER_CONTROLLER,
  TOKEN_CLEANER_CONTROLLER,
  NODE_IPAM_CONTROLLER,
  NODE_LIFECYCLE_CONTROLLER,
  SERVICE_LB_CONTROLLER,
  NODE_ROUTE_CONTROLLER,
  CLOUD_NODE_LIFECYCLE_CONTROLLER,
  PERSISTENTVOLUME_BINDER_CONTROLLER,
  PERSISTENTVOLUME_ATTACH_DETACH_CONTROLLER,
  PERSISTENTVOLUME_EXPANDER_CONTROLLER,
  CLUSTERROLE_AGGREGATION_CONTROLLER,
  PERSISTENTVOLUMECLAIM_PROTECTION_CONTROLLER,
  PERSISTENTVOLUME_PROTECTION_CONTROLLER,
  VOLUMEATTRIBUTESCLASS_PROTECTION_CONTROLLER,
  TTL_AFTER_FINISHED_CONTROLLER,
  ROOT_CA_PUBLISHER_CONTROLLER,
  CLUSTERTRUSTBUNDLE_PUBLISHER_CONTROLLER,
  EPHEMERAL_VOLUME_CONTROLLER,
  STORAGEVERSION_GARBAGE_COLLECTOR_CONTROLLER,
  RESOURCECLAIM_CONTROLLER,
  RESOURCEPOOLSTATUSREQUEST_CONTROLLER,
  DEVICE_TAINT_EVICTION_CONTROLLER,
  LEGACY_SERVICEACCOUNT_TOKEN_CLEANER_CONTROLLER,
  VALIDATINGADMISSIONPOLICY_STATUS_CONTROLLER,
  TAINT_EVICTION_CONTROLLER,
  SERVICE_CIDR_CONTROLLER,
  STORAGE_VERSION_MIGRATOR_CONTROLLER,
  SELINUX_WARNING_CONTROLLER,
  CLOUD_NODE_CONTROLLER,
];

/** The controllers that kubeloop has. */
export const CONTROLLERS: readonly BuiltController[] = KNOWN_CONTROLLERS.filter(isBuilt);

/** Whether kubeloop has a controller. */
export function isBuilt(row: ControllerRow): row is BuiltController {
  return row.build !== undefined;
}

/** The name of the client of a controller, see {@link ControllerRow.clientName}. */
export function clientNameOf(controller: string): string {
  return KNOWN_CONTROLLERS.find(({ name }) => name === controller)?.clientName ?? controller;
}
