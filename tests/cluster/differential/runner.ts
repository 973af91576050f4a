// deno-lint-ignore-file no-console -- run by hand, it prints what differs
/**
 * Sends the recorded requests to both servers and prints what differs.
 *
 * `deno run -A tests/cluster/differential/runner.ts [area] [part of a case's name]`, with REAL_KUBECONFIG naming a
 * kube-apiserver that already runs, if there is one.
 */
import { areas, casesOf } from "./areas.ts";
import { compareCase } from "./compare.ts";
import { embeddedServer, startRealServer } from "./servers.ts";

const [area, part = ""] = Deno.args;
await using real = await startRealServer();
await using embedded = embeddedServer();
const totals = { compared: 0, excused: 0, differences: 0 };
for (const name of await areas()) {
  if (area && area !== name) continue;
  for (const test of (await casesOf(name)).filter((each) => each.name.includes(part))) {
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
Deno.exit(totals.differences > 0 ? 1 : 0);
