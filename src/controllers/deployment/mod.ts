/** The Deployment controller. */
export { DEPLOYMENT_CONTROLLER } from "./controller.ts";
