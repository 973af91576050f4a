/**
 * kube-controller-manager whose controller groups can be made to fail: `faulty_manager.ts PORT FLAG...`.
 *
 * On 127.0.0.1:PORT it takes `POST /GROUP/FAULT`; the fault `doom` makes the group crash now and after each start. A group that
 * is called `missing` or `unloadable` has a module that is not there, or throws when it is loaded.
 */
import { kubeControllerManager } from "../../src/cli/kube_controller_manager.ts";
import type { GroupThread } from "../../src/manager/mod.ts";
import { threadOptions } from "../../src/manager/groups/start_thread.ts";
import { isFault } from "./faults.ts";

/** Faults are found sooner than in production, so that the test takes less time. */
const LIMITS = { blockedAfterMs: 15_000, heapShare: 0.6, mostFailures: 5 };

const MODULES: Readonly<Record<string, string>> = {
  missing: "./no_such_worker.ts",
  unloadable: "./unloadable_worker.ts",
};

const [port, ...flags] = Deno.args;
const workers = new Map<string, Worker>();
const doomed = new Set<string>();

function spawn(group: string, address?: string): GroupThread {
  const url = new URL(MODULES[group] ?? "./faulty_group_worker.ts", import.meta.url);
  const worker = new Worker(url, { ...threadOptions(address), name: group });
  workers.set(group, worker);
  if (doomed.has(group)) worker.postMessage("crash");
  return worker;
}

await using _control = Deno.serve({ hostname: "127.0.0.1", port: Number(port), onListen: () => {} }, ({ url }) => {
  const [, group, fault] = new URL(url).pathname.split("/");
  const worker = workers.get(group);
  if (!worker || !(isFault(fault) || fault === "doom")) return new Response("unknown", { status: 404 });
  if (fault === "doom") doomed.add(group);
  worker.postMessage(fault === "doom" ? "crash" : fault);
  return new Response("done");
});
Deno.exit(await kubeControllerManager(flags, { spawn, limits: LIMITS }));
