import type { BuiltController } from "./running/mod.ts";
import { CRONJOB_CONTROLLER } from "./cronjob/mod.ts";
import { DAEMONSET_CONTROLLER } from "./daemonset/mod.ts";
import { DEPLOYMENT_CONTROLLER } from "./deployment/mod.ts";
import { DISRUPTION_CONTROLLER } from "./disruption/mod.ts";
import { GARBAGE_COLLECTOR_CONTROLLER } from "./garbage_collector/mod.ts";
import { HORIZONTAL_POD_AUTOSCALER_CONTROLLER } from "./horizontal_pod_autoscaler/mod.ts";
import { JOB_CONTROLLER } from "./job/mod.ts";
import { NAMESPACE_CONTROLLER } from "./namespace/mod.ts";
import { POD_GARBAGE_COLLECTOR_CONTROLLER } from "./pod_garbage_collector/mod.ts";
import { REPLICASET_CONTROLLER } from "./replicaset/mod.ts";
import { REPLICATIONCONTROLLER_CONTROLLER } from "./replicationcontroller/mod.ts";
import { RESOURCEQUOTA_CONTROLLER } from "./resourcequota/mod.ts";
import { ROOT_CA_PUBLISHER_CONTROLLER } from "./root_ca_publisher/mod.ts";
import { SERVICEACCOUNT_CONTROLLER } from "./serviceaccount/mod.ts";
import { STATEFULSET_CONTROLLER } from "./statefulset/mod.ts";
import { TTL_AFTER_FINISHED_CONTROLLER } from "./ttl_after_finished/mod.ts";

/** The controllers that kubeloop has. */
export const CONTROLLERS: readonly BuiltController[] = [
  DEPLOYMENT_CONTROLLER,
  REPLICASET_CONTROLLER,
  STATEFULSET_CONTROLLER,
  DAEMONSET_CONTROLLER,
  REPLICATIONCONTROLLER_CONTROLLER,
  GARBAGE_COLLECTOR_CONTROLLER,
  NAMESPACE_CONTROLLER,
  RESOURCEQUOTA_CONTROLLER,
  SERVICEACCOUNT_CONTROLLER,
  ROOT_CA_PUBLISHER_CONTROLLER,
  JOB_CONTROLLER,
  TTL_AFTER_FINISHED_CONTROLLER,
  CRONJOB_CONTROLLER,
  POD_GARBAGE_COLLECTOR_CONTROLLER,
  DISRUPTION_CONTROLLER,
  HORIZONTAL_POD_AUTOSCALER_CONTROLLER,
];
