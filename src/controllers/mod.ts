/** The built-in controllers and what they are made from. */
export * from "./controller.ts";
export * from "./known_controllers.ts";
export * from "./registry.ts";
export * from "./custom/mod.ts";
