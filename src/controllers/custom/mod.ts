/** Controllers for kinds of your own. */
export * from "./custom_controller.ts";
export * from "./reconciler.ts";
