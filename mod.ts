/**
 * kubeloop as a library: Kubernetes controllers in TypeScript, on the machinery of kube-controller-manager.
 *
 * Begin with {@link controllerFor}, which makes a controller, and {@link connect}, whose cluster runs it. Subpaths hold the
 * rest: `kubeloop/api` Kubernetes' types, `kubeloop/testing` clusters for tests, `kubeloop/cache` informers, `kubeloop/client`
 * clients, and the other layers of the machinery by their names.
 *
 * @module
 */
export {
  type Controller,
  ControllerBuilder,
  type ControllerContext,
  type ControllerDescriptor,
  controllerFor,
  CONTROLLERS,
  defineResource,
  type Reconcile,
  ReconcileContext,
  type ReconcileResult,
  type ResourceDefinition,
} from "./src/controllers/mod.ts";
export { Cluster, type ClusterOptions, connect, type ConnectOptions, type RunOptions } from "./src/manager/mod.ts";
