/**
 * kubeloop as a library: Kubernetes controllers in TypeScript, on the machinery of kube-controller-manager.
 *
 * Begin with {@link controllerFor}, which makes a controller, and {@link connect}, whose cluster runs it. Subpaths hold
 * the rest: `kubeloop/api` Kubernetes' types, `kubeloop/testing` clusters for tests, `kubeloop/cache` informers,
 * `kubeloop/client` clients, and the other layers of the machinery by their names.
 *
 * @module
 */
export {
  type BuiltController,
  type Controller,
  ControllerBuilder,
  type ControllerContext,
  type ControllerDebug,
  type ControllerDescriptor,
  type ControllerDrivers,
  type ControllerFiles,
  type ControllerFolders,
  controllerFor,
  type ControllerNeeds,
  CONTROLLERS,
  type ControllerSigner,
  type DebugPage,
  defineResource,
  type DriverAnswer,
  type DriverCall,
  type Host,
  type InformerNeed,
  type Journal,
  type JournalEntry,
  type OptionRow,
  type OptionValue,
  type OptionValues,
  type Reconcile,
  ReconcileContext,
  type ReconcileResult,
  type ResourceDefinition,
  type Signature,
  type SigningAlgorithm,
  type Supplies,
  type VolumeDriver,
} from "./src/controllers/mod.ts";
export { Cluster, type ClusterOptions, connect, type ConnectOptions, type RunOptions } from "./src/manager/mod.ts";
export type {
  ControllerOptions,
  ControllerRow,
  FixedOption,
  FlagOption,
  FlagValues,
  OptionType,
} from "./src/controllers/mod.ts";
export type { OptionRows } from "./src/controllers/mod.ts";
