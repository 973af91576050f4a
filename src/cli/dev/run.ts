import { KUBERNETES_VERSION } from "../../api/mod.ts";
import { unlessAborted } from "../../base/mod.ts";
import { Deadline } from "../../client/mod.ts";
import type { DevOptions } from "./options.ts";
import { Progress } from "./progress.ts";
import { Start } from "./start.ts";

/**
 * Runs `place` and shows its progress until `ended` aborts or, with `--once`, everything is ready.
 *
 * Contract:
 * 1. It ends soon after `ended` aborts, whatever it waits for.
 * 2. With `--once` it fails at the timeout and says what is not ready; being stopped earlier is a failure, too.
 */
export async function runDev(options: DevOptions): Promise<void> {
  const { world, flags, place, board, view, ended } = options;
  board.heading = [
    `kubeloop dev  ${KUBERNETES_VERSION}  ${place.url}  (Ctrl-C stops it)`,
    `${place.kubectl} get all`,
  ];
  view.say(`${"API server".padEnd(14)} ${place.url}`);
  view.say(`${"kubectl".padEnd(14)} ${place.kubectl} get all`);
  if (place.isOurs) view.say(`${"controllers".padEnd(14)} ${summaryOf(place.controllers)}`);
  const progress = new Progress({ world, client: place.client, board, view, controllers: place.controllers });
  const start = new Start(options, progress);
  const running = [place.run(ended.signal), progress.run(ended.signal), bringUp(options, start)];
  const ends = await Promise.allSettled(running.map((each) => each.catch(endWith(ended))));
  const failure = ends.find((each) => each.status === "rejected" && each.reason !== ended.signal.reason);
  if (failure?.status === "rejected") throw failure.reason;
  if (flags.bool("once") && !start.isDone) throw new Error(`stopped before everything was ready: ${start.missing()}`);
}

/** A few names as they are; for more, how many there are. */
function summaryOf(controllers: readonly string[]): string {
  if (controllers.length <= 8) return controllers.join(", ");
  return `${controllers.length} (--controllers chooses; kube-controller-manager --help lists them)`;
}

/** Ends everything else, then rethrows the error. */
function endWith(ended: AbortController): (error: unknown) => never {
  return (error) => {
    ended.abort();
    throw error;
  };
}

/** Brings up the requested objects. With `--once`, does so within its time limit and then ends everything. */
async function bringUp({ world, flags, ended }: DevOptions, start: Start): Promise<void> {
  const isOnce = flags.bool("once");
  const timeoutMs = isOnce ? flags.durationMs("timeout") : 0;
  using deadline = new Deadline(world.clock, {
    signal: ended.signal,
    timeoutMs,
    reason: () => new Error(`not everything is ready after ${timeoutMs / 1000} s: ${start.missing()}`),
  });
  await unlessAborted(start.run(deadline.signal), deadline.signal);
  if (isOnce) ended.abort();
}
