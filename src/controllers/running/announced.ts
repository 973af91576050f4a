import type { Logger, World } from "../../base/mod.ts";
import { type Syncing, waitForNamedCacheSync } from "../../cache/mod.ts";
import type { Controller } from "./controller.ts";
import { periodically } from "./periods.ts";

/** How a controller's log says that it starts and ends. */
export interface Announcement {
  readonly log: Logger;
  /** Its name in `--controllers`. */
  readonly name: string;
  /** Names it in the text of the lines, where upstream does, instead of in a value. */
  readonly title?: string;
}

/** Runs a controller's work between the two lines of the log; there is no second line if the work throws. */
export async function announced({ log, name, title }: Announcement, work: () => Promise<unknown>): Promise<void> {
  const say = (what: string) =>
    title ? log.info(`${what} ${title}`) : log.info(`${what} controller`, { controller: name });
  say("Starting");
  await work();
  say("Shutting down");
}

/** What a controller without a queue is made of. */
export interface PeriodicControllerOptions extends Pick<Announcement, "name" | "title"> {
  readonly world: Pick<World, "clock" | "log">;
  /** Informers or handler registrations to wait for. */
  readonly caches: readonly Syncing[];
  /** The pause between passes. */
  readonly periodMs: number;
  pass(signal: AbortSignal): Promise<void>;
}

/** A controller that looks at everything again and again: first when its caches have synced, then after each pause. */
export function periodicController(
  { name, title, world: { clock, log }, caches, periodMs, pass }: PeriodicControllerOptions,
): Controller {
  return {
    run: (signal) =>
      announced({ log, name, title }, async () => {
        if (!await waitForNamedCacheSync({ log, name, signal }, ...caches)) return;
        await periodically({ clock, signal, periodMs }, () => pass(signal));
      }),
  };
}
