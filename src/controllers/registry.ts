import type { ControllerDescriptor } from "./common/mod.ts";
import { DEPLOYMENT_CONTROLLER } from "./deployment/mod.ts";
import { GARBAGE_COLLECTOR_CONTROLLER } from "./garbage_collector/mod.ts";
import { NAMESPACE_CONTROLLER } from "./namespace/mod.ts";
import { REPLICASET_CONTROLLER } from "./replicaset/mod.ts";
import { ROOT_CA_PUBLISHER_CONTROLLER } from "./root_ca_publisher/mod.ts";
import { SERVICEACCOUNT_CONTROLLER } from "./serviceaccount/mod.ts";

/** The controllers that kubeloop has. */
export const CONTROLLERS: readonly ControllerDescriptor[] = [
  DEPLOYMENT_CONTROLLER,
  REPLICASET_CONTROLLER,
  GARBAGE_COLLECTOR_CONTROLLER,
  NAMESPACE_CONTROLLER,
  SERVICEACCOUNT_CONTROLLER,
  ROOT_CA_PUBLISHER_CONTROLLER,
];
