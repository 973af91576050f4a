/** The controller that deletes Jobs a while after they have ended. */
export { TTL_AFTER_FINISHED_CONTROLLER } from "./controller.ts";
