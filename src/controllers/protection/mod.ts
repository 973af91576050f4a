/** Finalizers that protect objects while they are in use. */
export { guard, type GuardOptions } from "./guard.ts";
export { guardedHandler, type GuardedHandlerOptions } from "./handler.ts";
