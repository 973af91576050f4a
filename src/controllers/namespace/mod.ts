/** The namespace-controller: empties and finalizes namespaces that are being deleted. */
export * from "./controller.ts";
export * from "./descriptor.ts";
