/** Controllers for kinds of your own. */
export * from "./builder.ts";
export * from "./define_resource.ts";
export * from "./reconcile_context.ts";
