import { errorText } from "../../base/mod.ts";
import { journaled, type LooseWork } from "../running/mod.ts";
import type { BinderContext } from "./context.ts";

export const NAME = "persistentvolume-binder-controller";

/** Long-running work on a claim or a volume. */
export interface BackgroundWork extends Omit<LooseWork, "controller" | "cause"> {
  /** No other work of this name runs at the same time, nor too soon after a failure. */
  readonly name: string;
}

/** Starts background work, unless it is running or failed recently. */
export function inBackground(
  { name, ...work }: BackgroundWork,
  context: BinderContext,
  run: () => Promise<void>,
): void {
  const { operations, world: { log }, signal } = context;
  const start = operations.start(name, async () => {
    try {
      await journaled({ ...work, controller: NAME, cause: name }, context, run);
    } catch (error) {
      if (!signal.aborted) log.info("A background operation has failed", { operation: name, reason: errorText(error) });
      throw error;
    }
  });
  if (start !== "started") log.verbose(4, "A background operation is not started", { operation: name, why: start });
}
