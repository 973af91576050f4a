/** The namespace-controller: empties and finalizes namespaces that are being deleted. */
export { NAMESPACE_CONTROLLER } from "./controller.ts";
