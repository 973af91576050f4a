// deno-lint-ignore-file no-console -- it is there to print
/**
 * The longest time that a manager with all controllers in one thread computes without a turn of its event loop, in processor
 * time, while it works on objects as large as kube-apiserver admits. Prints a line a load; exits with 1 beyond {@link LIMIT_MS}.
 * Run: `deno task bench:pauses [WORD...]`; words choose loads by what their names contain. With
 * `KUBELOOP_PROFILE=FOLDER` each manager leaves a CPU profile there.
 */
import { fromFileUrl } from "@std/path";
import { V8_FLAGS } from "../../.ci/release/runtime_flags.ts";
import { NAMESPACES } from "../../src/api/mod.ts";
import { clientOf } from "../cluster/cluster.ts";
import { ControlPlane } from "../controlplane/control_plane.ts";
import { leaseHolder } from "../controlplane/manager.ts";
import { eventually, freePort, Process } from "../controlplane/process.ts";
import { CROWD_LOADS } from "./pauses/crowd_loads.ts";
import { GARBAGE_LOADS } from "./pauses/garbage_loads.ts";
import type { PauseLoad } from "./pauses/load.ts";
import { POLICY_LOADS } from "./pauses/policy_loads.ts";
import { WORKLOAD_LOADS } from "./pauses/workload_loads.ts";

const LIMIT_MS = 50;
/** How long the manager works on after a load was made. */
const AFTER_MS = 6_000;
const MANAGER = fromFileUrl(new URL("./pauses/manager.ts", import.meta.url));
const PROFILES = Deno.env.get("KUBELOOP_PROFILE");
const FLAGS = [
  "--controller-groups=none",
  "--controllers=*",
  "--kube-api-qps=2000",
  "--kube-api-burst=4000",
  "--leader-elect-lease-duration=120s",
  "--leader-elect-renew-deadline=110s",
];

function startManager(plane: ControlPlane): Process {
  const profile = PROFILES ? ["--cpu-prof", `--cpu-prof-dir=${PROFILES}`] : [];
  const args = ["run", "--no-check", "-A", V8_FLAGS, ...profile, MANAGER, "kube-controller-manager"];
  const files = [
    `--kubeconfig=${plane.kubeconfig}`,
    `--root-ca-file=${plane.rootCaFile}`,
    `--service-account-private-key-file=${plane.serviceAccountKeyFile}`,
    "--bind-address=127.0.0.1",
    `--secure-port=${freePort()}`,
  ];
  return plane.adopt(new Process("kubeloop", Deno.execPath(), { args: [...args, ...files, ...FLAGS] }));
}

/** @throws {Error} If the manager did not tell its pauses. */
function longestPause(output: string, { sinceMs }: { sinceMs: number }): number {
  if (!output.includes("told all pauses")) throw new Error(`the manager told no pauses\n${output.slice(-2000)}`);
  const pauses = [...output.matchAll(/^pause (\d+) at (\d+)$/gm)].filter(([, , atMs]) => Number(atMs) > sinceMs);
  return Math.max(0, ...pauses.map(([, ms]) => Number(ms)));
}

async function measure(load: PauseLoad, namespace: string): Promise<number> {
  await using plane = await ControlPlane.start({
    apiserverFlags: ["--max-requests-inflight=3000", "--max-mutating-requests-inflight=3000"],
  });
  const { client } = await clientOf(plane.kubeconfig);
  const manager = startManager(plane);
  await eventually("the manager leads", async () => await leaseHolder(plane) !== "");
  await client.create(NAMESPACES, { metadata: { name: namespace } });
  await eventually(
    "the namespace is ready",
    () => plane.kubectl(["get", "serviceaccount", "default", "-n", namespace]),
  );
  await new Promise((resolve) => setTimeout(resolve, 2000)); // its start is no part of this
  const sinceMs = Date.now();
  await load.run(client, namespace);
  await Promise.race([new Promise((resolve) => setTimeout(resolve, load.afterMs ?? AFTER_MS)), manager.exited]);
  if (manager.exit) throw new Error(`${load.name}: the manager ended\n${manager.output.slice(-2000)}`);
  await manager.stop();
  return longestPause(manager.output, { sinceMs });
}

const chosen = [...GARBAGE_LOADS, ...WORKLOAD_LOADS, ...POLICY_LOADS, ...CROWD_LOADS]
  .filter(({ name }) => Deno.args.length === 0 || Deno.args.some((word) => name.includes(word)));
let tooLong = 0;
for (const [i, load] of chosen.entries()) {
  try {
    const longestMs = await measure(load, `pause-${i}`);
    console.log(`${String(longestMs).padStart(6)} ms  ${load.name}`);
    if (longestMs > LIMIT_MS) tooLong++;
  } catch (error) {
    console.log(`  ended     ${load.name}: ${error}`);
    tooLong++;
  }
}
Deno.exit(tooLong > 0 ? 1 : 0);
