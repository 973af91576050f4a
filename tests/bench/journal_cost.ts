// deno-lint-ignore-file no-console -- it is there to print
/**
 * What the journal costs: 10,000 reconciles in flight, with and without it.
 *
 *     deno run --allow-all --v8-flags=--expose-gc,--initial-old-space-size=3000 tests/bench/journal_cost.ts
 *
 * Each reconcile does what that of a ReplicaSet does that lacks one pod: it reads its object and ten pods from the caches, creates
 * a pod, an event and its status by HTTP, at a server in a process of its own that sends back what it gets, and the watch events
 * of the pod and of the status go through informers to handlers that queue a key. Without the journal nobody takes notes, and no
 * causes are put into words. The old heap is large, so that each round has one full garbage collection, at its end and measured,
 * and not by chance one or two. Ends with code 1 unless it is certain that the journal's share of the CPU time is below 3 %.
 */
import process from "node:process";
import { MetricsRegistry } from "../../src/base/mod.ts";
import { SyncJournal } from "../../src/manager/mod.ts";
import { JournalLoad, RECONCILES } from "./journal_load.ts";
import { compareRounds } from "./paired_rounds.ts";

const MOST_PERCENT = 3;
const WARM_UP_ROUNDS = 3;
const LIMITS = { leastQuads: 12, mostQuads: 60, width: 0.015 };

const ECHO = `
const headers = { "content-type": "application/json" };
Deno.serve(
  { hostname: "127.0.0.1", port: 0, onListen: ({ port }) => console.log(port) },
  async (request) => new Response(await request.text(), { headers }),
);`;

const server = new Deno.Command(Deno.execPath(), {
  args: ["run", "--allow-net=127.0.0.1", `data:text/javascript,${encodeURIComponent(ECHO)}`],
  stdout: "piped",
}).spawn();
const output = server.stdout.pipeThrough(new TextDecoderStream()).getReader();
const url = `http://127.0.0.1:${(await output.read()).value!.trim()}`;

const collectGarbage = (globalThis as { gc?: () => void }).gc;
if (!collectGarbage) throw new Error("Cannot start every round alike: give --v8-flags=--expose-gc");
const load = await JournalLoad.start(url);
const journal = new SyncJournal({ metrics: new MetricsRegistry() });
const measured = (round: () => Promise<void>) => async () => {
  const before = process.cpuUsage();
  await round();
  collectGarbage();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
};
const first = measured(load.workers());
const second = measured(load.workers(journal));
for (let i = 0; i < WARM_UP_ROUNDS; i++) {
  await first();
  await second();
}
const percent = (share: number) => `${(share * 100).toFixed(2)} %`;
const onQuad = (share: number) => console.error(`a quad: ${percent(share)}`);
const found = await compareRounds({ first, second }, { ...LIMITS, onQuad });
const each = (ms: number) => `${(ms / RECONCILES * 1000).toFixed(1)} us a reconcile`;
const [least, most] = found.interval;
console.log(`reconciles in flight          ${load.mostInFlight}`);
console.log(`CPU without the journal       ${each(found.first)}`);
console.log(`CPU with the journal          ${each(found.second)}`);
console.log(
  `the journal's share           ${percent(found.share)}, with 95 % certainty ${percent(least)} to ${percent(most)}`,
);
console.log(`                              (median of ${found.quads} quads; must be below ${MOST_PERCENT} %)`);
console.log(`kept                          ${journal.length} syncs, about ${(journal.bytes / 2 ** 20).toFixed(1)} MiB`);
await load[Symbol.asyncDispose]();
server.kill();
await server.status;
Deno.exit(most * 100 < MOST_PERCENT ? 0 : 1);
