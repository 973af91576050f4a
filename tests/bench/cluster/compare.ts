// deno-lint-ignore-file no-console -- it is there to print
/**
 * kubeloop beside upstream's manager, whole process, same flags, each time on a new server: idle, and Deployments whose pods are
 * made, scaled to zero, made again and deleted with them. Prints a table in Markdown: medians, the least and the greatest value, and
 * the median of the ratios to upstream's value of the same round. Managers take turns within each round.
 *
 * Run: `deno task bench:cluster [ROUNDS] [LOAD...] [--kubeloop="NAME=PATH FLAG..."]...`
 *
 * - LOAD is `idle`, or Deployments times pods such as `100x20`. Default: `idle 100x20 200x50`.
 * - `--kubeloop` names an executable or a checkout to measure, with more flags; several are measured beside each other.
 *   Default: `$KUBELOOP_EXECUTABLE`, else these sources. `$KUBELOOP_FLAGS` are added for all.
 */
import { parseArgs } from "@std/cli/parse-args";
import { type Contestant, contestantsOf, UPSTREAM } from "./contestants.ts";
import { type DeploymentLoad, runDeployments, type RunFigures } from "./deployments_run.ts";
import type { Cost } from "./meter.ts";
import { median, medianRatio, spread } from "./statistics.ts";

type Runs = ReadonlyMap<Contestant, readonly RunFigures[]>;

/** A line of the table. */
interface Row {
  readonly figure: string;
  read(run: RunFigures): number;
  readonly digits?: number;
}

function loadOf(word: string): DeploymentLoad {
  if (word === "idle") return { deployments: 0, replicas: 0 };
  const [, deployments, replicas] = /^(\d+)x(\d+)$/.exec(word) ?? [];
  if (deployments === undefined) throw new Error(`no load: "${word}"; wanted "idle" or such as "100x20"`);
  return { deployments: Number(deployments), replicas: Number(replicas) };
}

async function play(word: string, rounds: number, contestants: readonly Contestant[]): Promise<Runs> {
  const runs = new Map(contestants.map((contestant) => [contestant, [] as RunFigures[]]));
  for (let round = 1; round <= rounds; round++) {
    for (const [contestant, figures] of runs) {
      const run = await runDeployments(contestant, loadOf(word));
      figures.push(run);
      // Rounds take minutes: whoever waits may see how it goes, and the table stays a table.
      const costs = JSON.stringify(Object.fromEntries(run.costs));
      console.error(`${word} under ${contestant.name}, round ${round} of ${rounds}:`, run, costs);
    }
  }
  return runs;
}

function rowsOf(runs: Runs): readonly Row[] {
  const parts = [...runs.values().next().value![0].costs.keys()];
  const costs = parts.flatMap((part): Row[] => {
    const row = (figure: string, read: (cost: Cost) => number, digits?: number): Row => ({
      figure: `${part}: ${figure}`,
      read: (run) => read(run.costs.get(part)!),
      digits,
    });
    const isTimed = part !== "start" && part !== "idle";
    return [
      ...isTimed ? [row("seconds", (cost) => cost.seconds)] : [],
      row("CPU s", (cost) => cost.cpuS, 2),
      row("kube-apiserver CPU s", (cost) => cost.serverCpuS, 2),
      row("connections opened", (cost) => cost.connections, 0),
      row("requests", (cost) => sum(Object.values(cost.requests)), 0),
    ];
  });
  return [
    { figure: "seconds until it reacts", read: (run) => run.reactsS, digits: 2 },
    ...costs,
    { figure: "CPU s in all", read: (run) => sum([...run.costs.values()].map((cost) => cost.cpuS)), digits: 2 },
    { figure: "kube-apiserver CPU s in all", read: (run) => sum([...run.costs.values()].map((c) => c.serverCpuS)) },
    { figure: "watches", read: (run) => run.watches, digits: 0 },
    { figure: "MiB before the load", read: (run) => run.idleMiB, digits: 0 },
    { figure: "peak MiB", read: (run) => run.peakMiB, digits: 0 },
  ];
}

function printTable(load: string, runs: Runs): void {
  const theirs = runs.get(UPSTREAM)!;
  const names = [...runs.keys()].map(({ name }) => name);
  console.log(`\n| ${[load, ...names].join(" | ")} |\n|${" --- |".repeat(names.length + 1)}`);
  for (const { figure, read, digits } of rowsOf(runs)) {
    const cells = [...runs].map(([contestant, ours]) => {
      const cell = spread(ours.map(read), digits);
      if (contestant === UPSTREAM) return cell;
      return `${cell}, ${medianRatio(ours.map(read), theirs.map(read)).toFixed(2)} ×`;
    });
    console.log(`| ${[figure, ...cells].join(" | ")} |`);
  }
  for (const part of theirs[0].costs.keys()) {
    const cells = [...runs.values()].map((ours) => verbs(ours.map((run) => run.costs.get(part)!)));
    console.log(`| ${[`${part}: requests by verb`, ...cells].join(" | ")} |`);
  }
}

/** The medians by verb, from the most to the least. */
function verbs(costs: readonly Cost[]): string {
  const all = new Set(costs.flatMap(({ requests }) => Object.keys(requests)));
  return [...all].map((verb) => ({ verb, count: median(costs.map(({ requests }) => requests[verb] ?? 0)) }))
    .filter(({ count }) => count > 0).toSorted((a, b) => b.count - a.count)
    .map(({ verb, count }) => `${count} ${verb}`).join(", ");
}

const sum = (values: readonly number[]) => values.reduce((all, value) => all + value, 0);

const { _, kubeloop } = parseArgs(Deno.args, { string: ["_", "kubeloop"], collect: ["kubeloop"] });
const words: readonly string[] = _.map(String);
const isCount = (word: string) => /^\d+$/.test(word);
const rounds = Number(words.find(isCount) ?? 1);
const loads = words.filter((word) => !isCount(word));
for (const load of loads.length > 0 ? loads : ["idle", "100x20", "200x50"]) {
  printTable(load, await play(load, rounds, contestantsOf(kubeloop)));
}
