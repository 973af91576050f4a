/**
 * kubeloop as a library: Kubernetes controllers in TypeScript, on the machinery of kube-controller-manager.
 *
 * Begin with {@link controllerFor}, which makes a controller, and {@link connect}, whose cluster runs it;
 * {@link startTestCluster} tests it. To watch only, use an {@link InformerFactory}; to read and write, a {@link Client}.
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
  type Files,
  type LogFields,
  type Logger,
  type LogLine,
  MemoryLogger,
  MetricsRegistry,
  type Random,
  sleep,
  systemWorld,
  type Timer,
  warningsOnly,
  type World,
} from "./src/base/mod.ts";
export { createLogger, type KlogLogger, type KlogOptions } from "./src/log/mod.ts";
export {
  type Controller,
  ControllerBuilder,
  type ControllerContext,
  type ControllerDebug,
  type ControllerDescriptor,
  controllerFor,
  type ControllerOptions,
  CONTROLLERS,
  defineResource,
  type Journal,
  type JournalEntry,
  type Reconcile,
  ReconcileContext,
  type ReconcileResult,
  type ResourceDefinition,
} from "./src/controllers/mod.ts";
export * from "./src/rules/mod.ts";
export * from "./src/testkit/mod.ts";
export {
  Cluster,
  type ClusterOptions,
  connect,
  type ConnectOptions,
  ControllerManager,
  type RunOptions,
} from "./src/manager/mod.ts";
