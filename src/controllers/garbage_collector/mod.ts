/** The garbage-collector-controller: deletes objects whose owners are gone. */
export * from "./controller.ts";
export * from "./descriptor.ts";
export * from "./graph.ts";
export * from "./graphviz.ts";
export * from "./identity.ts";
