// deno-lint-ignore-file no-console -- it is there to print
/**
 * kubeloop beside upstream's manager with one workload at a time: same server, same flags, no controllers but those that the
 * workload needs. Prints tables in Markdown, as `bench:cluster` does: medians with their spread, and ratios of the same round.
 *
 * Run: `deno task bench:workloads [ROUNDS] [LOAD...] [--kubeloop="NAME=PATH FLAG..."]...`, with `--kubeloop` as in `bench:cluster`,
 * such as `--kubeloop="one thread=dist/kubeloop --controller-groups=none"`.
 */
import { parseArgs } from "@std/cli/parse-args";
import { clientOf } from "../../cluster/cluster.ts";
import { ControlPlane } from "../../controlplane/control_plane.ts";
import type { Process } from "../../controlplane/process.ts";
import { type Contestant, contestantsOf, UPSTREAM } from "./contestants.ts";
import { sleepS } from "./loads/kit.ts";
import { type Load, LOADS } from "./loads/mod.ts";
import { cpuSeconds, statusMiB } from "./process_figures.ts";
import { medianRatio, spread } from "./statistics.ts";

interface Figures {
  readonly timeS: number;
  /** Processor time while the manager did its work. */
  readonly cpuS: number;
  /** Processor time from the manager's start to the end of its work. */
  readonly totalCpuS: number;
  /** Processor time of kube-apiserver while the manager did its work. */
  readonly serverCpuS: number;
  readonly peakMiB: number;
  /** Processor time of this process meanwhile: near the time itself, what is measured is how fast the load is. */
  readonly benchCpuS: number;
}

const FIGURES = {
  timeS: "seconds",
  cpuS: "CPU s",
  totalCpuS: "CPU s with the start",
  serverCpuS: "kube-apiserver CPU s",
  peakMiB: "peak MiB",
} as const satisfies Partial<Record<keyof Figures, string>>;
/** What a manager does first that has nothing to do with its work: it starts, leads, fills its caches. */
const SETTLE_S = 5;
/** On a busy machine a manager might lose its lease by the usual times. */
const PATIENT_LEASE = ["--leader-elect-lease-duration=120s", "--leader-elect-renew-deadline=110s"];
/** One client for all, as ever since figures of these loads are written down. */
const ONE_CLIENT = "--use-service-account-credentials=false";

async function measure(contestant: Contestant, load: Load): Promise<Figures> {
  await using plane = await ControlPlane.start({
    apiserverFlags: ["--max-requests-inflight=3000", "--max-mutating-requests-inflight=3000"],
  });
  const cluster = { plane, client: (await clientOf(plane.kubeconfig)).client };
  await load.prepare?.(cluster);
  const flags = [...PATIENT_LEASE, ONE_CLIENT, ...load.flags ?? []];
  const { process } = await contestant.start(plane, { controllers: load.controllers.join(","), flags });
  await sleepS(SETTLE_S);
  await load.warmUp?.(cluster);
  const cpuBeforeS = await cpuSeconds(process.pid);
  const serverCpuBeforeS = await cpuSeconds(plane.apiserver.pid);
  const benchCpuBeforeS = await cpuSeconds(Deno.pid);
  const began = performance.now();
  await Promise.race([load.run(cluster), untilItEnds(process)]);
  const timeS = (performance.now() - began) / 1000;
  const totalCpuS = await cpuSeconds(process.pid);
  const benchCpuS = await cpuSeconds(Deno.pid) - benchCpuBeforeS;
  const serverCpuS = await cpuSeconds(plane.apiserver.pid) - serverCpuBeforeS;
  const peakMiB = await statusMiB(process.pid, "VmHWM");
  const figures = { timeS, cpuS: totalCpuS - cpuBeforeS, totalCpuS, serverCpuS, peakMiB, benchCpuS };
  await process.stop();
  return figures;
}

/** Throws once the manager has ended: nobody would do the work any more. */
async function untilItEnds(process: Process): Promise<never> {
  const { code } = await process.exited;
  throw new Error(`${process.name} ended with ${code} before its work: ${process.output.slice(-3000)}`);
}

async function compare(load: Load, rounds: number, contestants: readonly Contestant[]): Promise<void> {
  const runs = new Map(contestants.map((contestant) => [contestant, [] as Figures[]]));
  for (let round = 0; round < rounds; round++) {
    for (const [contestant, all] of runs) {
      const figures = await measure(contestant, load);
      all.push(figures);
      // Rounds take minutes: whoever waits may see how it goes, and the table stays a table.
      console.error(`${load.name} under ${contestant.name}, round ${round + 1} of ${rounds}:`, figures);
    }
  }
  const theirs = runs.get(UPSTREAM)!;
  for (const [figure, words] of Object.entries(FIGURES) as [keyof typeof FIGURES, string][]) {
    const valuesOf = (all: readonly Figures[]) => all.map((each) => each[figure]);
    const cells = [...runs.values()].map((ours) => {
      const cell = spread(valuesOf(ours), figure === "peakMiB" ? 0 : 2);
      return ours === theirs ? cell : `${cell}, ${medianRatio(valuesOf(ours), valuesOf(theirs)).toFixed(2)} ×`;
    });
    console.log(`| ${[load.name, words, ...cells].join(" | ")} |`);
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

const { _, kubeloop } = parseArgs(Deno.args, { string: ["_", "kubeloop"], collect: ["kubeloop"] });
const words: readonly string[] = _.map(String);
const isCount = (word: string) => /^\d+$/.test(word);
const rounds = Number(words.find(isCount) ?? 1);
const loads = loadsCalled(words.filter((word) => !isCount(word)));
const contestants = contestantsOf(kubeloop);
for (const { name, description } of loads) console.log(`- ${name}: ${description}`);
console.log(`\n| load | figure | ${contestants.map(({ name }) => name).join(" | ")} |`);
console.log(`|${" --- |".repeat(contestants.length + 2)}`);
for (const load of loads) await compare(load, rounds, contestants);
