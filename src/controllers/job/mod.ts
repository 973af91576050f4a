/** The Job controller. */
export { JOB_CONTROLLER } from "./controller.ts";
