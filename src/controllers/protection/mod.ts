/** Keeping objects from going while they are used, by a finalizer. */
export { isDeletionCandidate, needsFinalizer } from "./finalizers.ts";
export { guard, type GuardOptions } from "./guard.ts";
export { guardedHandler, type GuardedHandlerOptions } from "./handler.ts";
