/** The resourcequota-controller: what namespaces use of what their quotas limit. */
export { RESOURCEQUOTA_CONTROLLER } from "./controller.ts";
