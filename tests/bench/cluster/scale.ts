// deno-lint-ignore-file no-console -- it is there to print
/**
 * Both managers with all controllers on a large cluster, one after the other, each on a server of its own that begins with the same
 * data: a cold start until a new Deployment has its pod, then changes without a pause. Prints a table in Markdown.
 *
 * Run: `deno task bench:scale --pods=50000 --nodes=2000 --services=3000`, and with
 *
 * - `--data=FOLDER` to keep the filled server's data there, and to use what is there already
 * - `--seconds=N` and `--rate=N` for how long and how fast things change (300, 100); `--seconds=0` for cold starts only
 * - `--start=SECONDS` for what counts as the start (60)
 * - `--renew=SECONDS` for how often each node renews its lease (10)
 * - `--rounds=N`, and `--kubeloop="NAME=PATH FLAG..."` as in `bench:cluster`
 * - `--pauses` to measure the longest pause of each of kubeloop's threads instead, from these sources
 */
import { parseArgs } from "@std/cli/parse-args";
import { fromFileUrl } from "@std/path";
import { type Contestant, contestantsOf, UPSTREAM } from "./contestants.ts";
import { filledServer } from "./scale/filled_server.ts";
import { pausesIn } from "./scale/pausing/lines.ts";
import { runScale, type ScaleFigures, type ScaleOptions } from "./scale/run.ts";
import { medianRatio, spread } from "./statistics.ts";

const FIGURES: Readonly<Record<string, (figures: ScaleFigures) => number>> = {
  "cold start: seconds to a new Deployment's pod": ({ coldS }) => coldS,
  "cold start: CPU s until then": ({ coldCpuS }) => coldCpuS,
  "start: CPU s": ({ start }) => start.cpuS,
  "start: kube-apiserver CPU s": ({ start }) => start.serverCpuS,
  "start: connections opened": ({ start }) => start.connections,
  "start: peak MiB": ({ startPeakMiB }) => startPeakMiB,
  "after the start: MiB": ({ settledMiB }) => settledMiB,
  "changes: how many a second": ({ changesPerS }) => changesPerS,
  "changes: CPU ms each": (figures) => figures.churn.cpuS * 1000 / changesIn(figures),
  "changes: kube-apiserver CPU ms each": (figures) => figures.churn.serverCpuS * 1000 / changesIn(figures),
  "changes: writes each": (figures) => {
    const { POST = 0, PUT = 0, PATCH = 0, APPLY = 0, DELETE = 0 } = figures.churn.requests;
    return (POST + PUT + PATCH + APPLY + DELETE) / changesIn(figures);
  },
  "changes: connections opened": ({ churn }) => churn.connections,
  "changes: seconds to a new Deployment's pod, median": ({ latencyS }) => latencyS,
  "changes: the same, longest": ({ longestLatencyS }) => longestLatencyS,
  "peak MiB": ({ peakMiB }) => peakMiB,
  "after all: MiB": ({ endMiB }) => endMiB,
};

/** They last until a Deployment that was made in time has its pod, which is longer for a manager that falls behind. */
function changesIn({ churn, changesPerS }: ScaleFigures): number {
  return churn.seconds * changesPerS;
}

function printTable(runs: ReadonlyMap<Contestant, readonly ScaleFigures[]>, head: string): void {
  const names = [...runs.keys()].map(({ name }) => name);
  const theirs = runs.get(UPSTREAM);
  console.log(`\n| ${[head, ...names].join(" | ")} |\n|${" --- |".repeat(names.length + 1)}`);
  for (const [figure, read] of Object.entries(FIGURES)) {
    const cells = [...runs.values()].map((ours) => {
      const cell = spread(ours.map(read));
      return ours === theirs || !theirs
        ? cell
        : `${cell}, ${medianRatio(ours.map(read), theirs.map(read)).toFixed(2)} ×`;
    });
    console.log(`| ${[figure, ...cells].join(" | ")} |`);
  }
}

const args = parseArgs(Deno.args, {
  string: ["data", "kubeloop", "pods", "nodes", "services", "start", "seconds", "rate", "renew", "rounds"],
  boolean: ["pauses"],
  collect: ["kubeloop"],
  default: {
    pods: "50000",
    nodes: "2000",
    services: "3000",
    start: "60",
    seconds: "300",
    rate: "100",
    renew: "10",
    rounds: "1",
  },
});
const population = { pods: Number(args.pods), nodes: Number(args.nodes), services: Number(args.services) };
const options: ScaleOptions = {
  population,
  startS: Number(args.start),
  seconds: Number(args.seconds),
  changesPerS: Number(args.rate),
  renewEveryS: Number(args.renew),
};
const PAUSING = `pausing=${fromFileUrl(new URL("./scale/pausing", import.meta.url))}`;
const contestants = args.pauses
  ? contestantsOf([PAUSING, `${PAUSING} --controller-groups=none`]).slice(1)
  : contestantsOf(args.kubeloop);

await using server = await filledServer(population, options, args.data);
const runs = new Map(contestants.map((contestant) => [contestant, [] as ScaleFigures[]]));
for (let round = 1; round <= Number(args.rounds); round++) {
  for (const [contestant, figures] of runs) {
    const { output, ...run } = await runScale(contestant, server.data, options);
    figures.push(run);
    console.error(`${contestant.name}, round ${round}:`, run);
    for (const [thread, { wallMs, computedMs }] of args.pauses ? pausesIn(output) : []) {
      console.log(
        `${contestant.name}, thread ${thread}: longest pause ${wallMs} ms, longest computed ${computedMs} ms`,
      );
    }
  }
}
if (Number(args.rounds) > 0) {
  printTable(runs, `${population.pods} pods, ${population.nodes} nodes, ${population.services} Services`);
}
