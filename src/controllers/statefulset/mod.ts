/** The StatefulSet controller. */
export { STATEFULSET_CONTROLLER } from "./controller.ts";
