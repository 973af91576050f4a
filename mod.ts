/**
 * kubeloop as a library: Kubernetes controllers in TypeScript, on the machinery of kube-controller-manager.
 *
 * @module
 */
export * from "./src/api/mod.ts";
export * from "./src/cache/mod.ts";
export * from "./src/client/mod.ts";
export * from "./src/election/mod.ts";
export * from "./src/events/mod.ts";
export * from "./src/watch/mod.ts";
export * from "./src/workqueue/mod.ts";
export {
  type Clock,
  FakeClock,
  FakeWorld,
  type Logger,
  MemoryLogger,
  MetricsRegistry,
  type Random,
  systemWorld,
  type World,
} from "./src/base/mod.ts";
export {
  type Controller,
  ControllerBuilder,
  type ControllerContext,
  type ControllerDescriptor,
  controllerFor,
  type ControllerOptions,
  CONTROLLERS,
  defineResource,
  type Reconcile,
  ReconcileContext,
  type ReconcileResult,
  type ResourceDefinition,
} from "./src/controllers/mod.ts";
export * from "./src/testkit/mod.ts";
export { Cluster, connect, type ConnectOptions, ControllerManager, type RunOptions } from "./src/manager/mod.ts";
