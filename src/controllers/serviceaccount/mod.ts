/** The serviceaccount-controller: gives every Active namespace its ServiceAccount `default`. */
export { buildServiceAccountController, SERVICEACCOUNT_CONTROLLER } from "./controller.ts";
