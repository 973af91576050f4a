/** The pod-garbage-collector-controller: deletes pods that nobody else will end. */
export { POD_GARBAGE_COLLECTOR_CONTROLLER } from "./controller.ts";
