// deno-lint-ignore-file no-console -- it is there to print
/**
 * kubeloop beside upstream's manager with one workload at a time: same server, same flags, no controllers but those that the
 * workload needs. Prints a table of time, CPU and memory with ratios.
 * Run: `deno task bench:workloads [ROUNDS] [LOAD...]`, with `KUBELOOP_FLAGS=--controller-groups=auto` for groups.
 */
import { clientOf } from "../../cluster/cluster.ts";
import { ControlPlane } from "../../controlplane/control_plane.ts";
import { type ManagerKind, startManager } from "../../controlplane/manager.ts";
import type { Process } from "../../controlplane/process.ts";
import { type Load, LOADS } from "./loads/mod.ts";
import { cpuSeconds, statusMiB } from "./process_figures.ts";

interface Figures {
  readonly timeS: number;
  /** Processor time while the manager did its work. */
  readonly cpuS: number;
  /** Processor time from the manager's start to the end of its work. */
  readonly totalCpuS: number;
  readonly peakMiB: number;
  /** Processor time of this process meanwhile: near the time itself, what is measured is how fast the load is. */
  readonly benchCpuS: number;
}

const FIGURES = ["timeS", "cpuS", "totalCpuS", "peakMiB"] as const satisfies readonly (keyof Figures)[];
const KINDS = ["upstream", "kubeloop"] as const satisfies readonly ManagerKind[];
/** What a manager does first that has nothing to do with its work: it starts, leads, fills its caches. */
const SETTLE_S = 5;
/** On a busy machine a manager might lose its lease by the usual times. */
const PATIENT_LEASE = ["--leader-elect-lease-duration=120s", "--leader-elect-renew-deadline=110s"];
/** One client for all, as ever since figures of these loads are written down. */
const ONE_CLIENT = "--use-service-account-credentials=false";

async function measure(kind: ManagerKind, load: Load): Promise<Figures> {
  await using plane = await ControlPlane.start({
    apiserverFlags: ["--max-requests-inflight=3000", "--max-mutating-requests-inflight=3000"],
  });
  const cluster = { plane, client: (await clientOf(plane.kubeconfig)).client };
  await load.prepare?.(cluster);
  const flags = [...PATIENT_LEASE, ONE_CLIENT, ...load.flags ?? []];
  const { process } = await startManager(plane, kind, { controllers: load.controllers.join(","), flags });
  await sleepS(SETTLE_S);
  await load.warmUp?.(cluster);
  const cpuBeforeS = await cpuSeconds(process.pid);
  const benchCpuBeforeS = await cpuSeconds(Deno.pid);
  const began = performance.now();
  await Promise.race([load.run(cluster), untilItEnds(process)]);
  const timeS = (performance.now() - began) / 1000;
  const totalCpuS = await cpuSeconds(process.pid);
  const benchCpuS = await cpuSeconds(Deno.pid) - benchCpuBeforeS;
  const peakMiB = await statusMiB(process.pid, "VmHWM");
  const figures = { timeS, cpuS: totalCpuS - cpuBeforeS, totalCpuS, peakMiB, benchCpuS };
  await process.stop();
  return figures;
}

/** Throws once the manager has ended: nobody would do the work any more. */
async function untilItEnds(process: Process): Promise<never> {
  const { code } = await process.exited;
  throw new Error(`${process.name} ended with ${code} before its work: ${process.output.slice(-3000)}`);
}

async function compare(load: Load, rounds: number): Promise<void> {
  const runs: Record<ManagerKind, Figures[]> = { upstream: [], kubeloop: [] };
  for (let round = 0; round < rounds; round++) {
    for (const kind of KINDS) {
      const figures = await measure(kind, load);
      runs[kind].push(figures);
      // Rounds take minutes: whoever waits may see how it goes, and the table stays a table.
      console.error(`${load.name} under ${kind}, round ${round + 1} of ${rounds}:`, figures);
    }
  }
  for (const figure of FIGURES) {
    const [theirs, ours] = KINDS.map((kind) => median(runs[kind].map((run) => run[figure])));
    const cells = [load.name, figure, theirs.toFixed(2), ours.toFixed(2), (ours / theirs).toFixed(2)];
    console.log(`| ${cells.join(" | ")} |`);
  }
}

/** The loads of these names, in their order; all of them without names. */
function loadsCalled(names: readonly string[]): readonly Load[] {
  const unknown = names.filter((name) => !LOADS.some((load) => load.name === name));
  if (unknown.length > 0) {
    console.error(`There is no load ${unknown.join(", ")}, only ${LOADS.map(({ name }) => name).join(", ")}`);
    Deno.exit(2);
  }
  return names.length === 0 ? LOADS : LOADS.filter(({ name }) => names.includes(name));
}

const sleepS = (seconds: number) => new Promise((resolve) => setTimeout(resolve, seconds * 1000));
const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

const isCount = (arg: string) => /^\d+$/.test(arg);
const rounds = Number(Deno.args.find(isCount) ?? 1);
const loads = loadsCalled(Deno.args.filter((arg) => !isCount(arg)));
for (const { name, description } of loads) console.log(`- ${name}: ${description}`);
console.log("\n| load | figure | upstream | kubeloop | ratio |\n|---|---|---|---|---|");
for (const load of loads) await compare(load, rounds);
