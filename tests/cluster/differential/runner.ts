// deno-lint-ignore-file no-console -- run by hand, it prints what differs
/**
 * Sends the recorded requests to both servers and prints what differs.
 *
 * `deno run -A tests/cluster/differential/runner.ts [--gated | --groups] [area] [part of a case's name]`, with REAL_KUBECONFIG naming a
 * kube-apiserver that already runs, if there is one. With `--gated`, the areas in `gated_cases`; with `--groups`, the same
 * where nothing but groups is on.
 */
import { areas, casesOf } from "./areas.ts";
import { compareCase } from "./compare.ts";
import { embeddedServer, GATED, GROUPS_ALONE, startRealServer } from "./servers.ts";

const features = { "--gated": GATED, "--groups": GROUPS_ALONE }[Deno.args[0]];
const [area, part = ""] = Deno.args.slice(features ? 1 : 0);
const folder = features ? "gated_cases" : "cases";
await using real = await startRealServer(features);
await using embedded = embeddedServer(features);
const totals = { compared: 0, excused: 0, differences: 0 };
for (const name of await areas(folder)) {
  if (area && area !== name) continue;
  for (const test of (await casesOf(name, folder)).filter((each) => each.name.includes(part))) {
    const { compared, excused, differences } = await compareCase(real, embedded, test);
    totals.compared += compared;
    totals.excused += excused;
    totals.differences += differences.length;
    for (const { probe, aspect, why } of differences) {
      console.log(`\n${name} / ${test.name}: ${probe}: ${aspect}\n${why}`);
    }
  }
}
console.log(`\n${totals.compared} compared, ${totals.excused} excused, ${totals.differences} differences`);
Deno.exitCode = totals.differences > 0 ? 1 : 0; // the server is to end first
