/** The ReplicationController controller: the code of ReplicaSets, on their older form. */
export { REPLICATIONCONTROLLER_CONTROLLER } from "./controller.ts";
export { REPLICATIONCONTROLLER_KIND } from "./kind.ts";
