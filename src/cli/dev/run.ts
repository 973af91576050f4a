import { KUBERNETES_VERSION, type World } from "../../base/mod.ts";
import { NODES } from "../../api/mod.ts";
import { applyManifests } from "../../client/mod.ts";
import type { Flags } from "../../manager/mod.ts";
import type { Board } from "./board.ts";
import { EXAMPLE } from "./example.ts";
import { SHOWN_KINDS } from "./kinds.ts";
import type { Place } from "./place.ts";
import { Progress } from "./progress.ts";
import type { View } from "./views.ts";

/** What `dev` runs with. */
export interface DevOptions {
  readonly world: World;
  readonly flags: Flags;
  readonly place: Place;
  /** What to apply, as YAML. */
  readonly manifests: string | undefined;
  readonly board: Board;
  readonly view: View;
  readonly signal: AbortSignal;
}

/** How long a cluster may take to serve a kind that a manifest has just defined. */
const KIND_WITHIN_MS = 10_000;

/** Runs `place` and shows what happens there, until `signal` aborts, or with `--once` until all is ready. */
export async function runDev(options: DevOptions): Promise<void> {
  const { world, place, board, view, signal } = options;
  const ended = new AbortController();
  const end = () => ended.abort();
  signal.addEventListener("abort", end, { once: true });
  if (signal.aborted) end();
  board.heading = [
    `kubeloop dev  ${KUBERNETES_VERSION}  ${place.url}  (Ctrl-C stops it)`,
    `${place.kubectl} get all`,
  ];
  view.say(`${"API server".padEnd(14)} ${place.url}`);
  view.say(`${"kubectl".padEnd(14)} ${place.kubectl} get all`);
  if (place.isOurs) view.say(`${"controllers".padEnd(14)} ${place.controllers.join(", ")}`);
  const progress = new Progress({ world, client: place.client, board, view, controllers: place.controllers });
  const running = [place.run(ended.signal), progress.run(ended.signal), bringUp(options, progress, ended)];
  const ends = await Promise.allSettled(running.map((each) => each.catch(endWith(end))));
  signal.removeEventListener("abort", end);
  const failure = ends.find((each) => each.status === "rejected");
  if (failure) throw failure.reason;
}

/** Ends everything else before an error goes its way. */
function endWith(end: () => void): (error: unknown) => never {
  return (error) => {
    end();
    throw error;
  };
}

/** Waits for the nodes, applies the manifests, and with `--once` ends when all of it is ready. */
async function bringUp(
  { world, flags, place, manifests, board, view }: DevOptions,
  progress: Progress,
  ended: AbortController,
): Promise<void> {
  const startedMs = world.clock.monotonicMs();
  const nodeCount = flags.number("nodes");
  const nodes = SHOWN_KINDS.find(({ resource }) => resource === NODES)!;
  board.step("API server", true);
  const step = (name: string, isDone: boolean) => {
    board.step(name, isDone);
    view.changed();
  };
  step(`${nodeCount} nodes`, false);
  const ready = progress.until(() => board.tally(nodes).ready >= nodeCount, ended.signal).then(() => {
    step(`${nodeCount} nodes`, true);
    view.say(`${"nodes".padEnd(14)} ${nodeCount} ready`);
  });
  const what = manifests === undefined ? "example" : "manifests";
  const documents = manifests ?? (place.isOurs ? [EXAMPLE] : []);
  if (documents.length > 0) {
    step(what, false);
    const namespace = flags.string("namespace");
    const applied = await applyManifests({ world, client: place.client }, documents, {
      namespace,
      withinMs: KIND_WITHIN_MS,
    });
    for (const { resource, key } of applied) view.say(`${"applied".padEnd(14)} ${resource.kind} ${key}`);
  }
  await ready;
  view.say(`${"ready".padEnd(14)} after ${((world.clock.monotonicMs() - startedMs) / 1000).toFixed(1)} s`);
  if (documents.length > 0) {
    await progress.until(() => progress.isComplete, ended.signal);
    step(what, true);
    view.say(`${what.padEnd(14)} all ready`);
  }
  if (flags.bool("once")) ended.abort();
}
