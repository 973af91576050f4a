/** The CronJob controller. */
export { CRONJOB_CONTROLLER } from "./controller.ts";
