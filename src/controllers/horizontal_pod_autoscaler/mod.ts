/** The horizontal-pod-autoscaler-controller: gives targets the replicas that their metrics ask for. */
export { HORIZONTAL_POD_AUTOSCALER_CONTROLLER } from "./controller.ts";
