import { SystemClock } from "../../src/base/mod.ts";
import { WorkQueue } from "../../src/workqueue/mod.ts";

const world = { clock: new SystemClock() };
const KEYS = 100_000;
const keys = Array.from({ length: KEYS }, (_, i) => `namespace-${i % 100}/pod-${i}`);

Deno.bench(`WorkQueue: add, get and done of ${KEYS} keys`, async () => {
  const queue = new WorkQueue({ world });
  for (const key of keys) queue.add(key, "pod updated");
  for (let i = 0; i < KEYS; i++) queue.done((await queue.get())!.key);
});

Deno.bench(`WorkQueue: ${KEYS} adds of keys that wait already`, { group: "collapsed" }, (bench) => {
  const queue = new WorkQueue({ world });
  for (const key of keys) queue.add(key, "pod added");
  bench.start();
  for (const key of keys) queue.add(key, "pod updated");
  bench.end();
});

Deno.bench(`WorkQueue: addAfter of ${KEYS} keys, each then moved to an earlier time`, () => {
  const queue = new WorkQueue({ world });
  for (const [i, key] of keys.entries()) queue.addAfter(key, 60_000 + i);
  for (const [i, key] of keys.entries()) queue.addAfter(key, 30_000 + i);
  queue.shutDown();
});
