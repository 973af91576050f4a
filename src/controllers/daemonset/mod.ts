/** The DaemonSet controller. */
export { DAEMONSET_CONTROLLER } from "./controller.ts";
