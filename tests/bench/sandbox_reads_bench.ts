/** What the embedded API server's lists and watches cost. */
import { serveApiServer } from "../../src/sandbox/mod.ts";
import { benchServer, createPods, PODS, touchPods, watchPods } from "./sandbox_fixtures.ts";

const COUNT = 10_000;
const WATCHES = 100;
const apiServer = await benchServer();
const names = await createPods(apiServer.fetch, { count: COUNT });
const served = await serveApiServer({ apiServer });

Deno.bench(`ApiServer lists ${COUNT} pods in process`, async () => {
  await (await apiServer.fetch(new Request(`http://server${PODS}`))).arrayBuffer();
});

Deno.bench(`ApiServer lists ${COUNT} pods over http`, async () => {
  await (await fetch(served.url + PODS)).arrayBuffer();
});

Deno.bench(`ApiServer lists ${COUNT} pods by a selector that none matches`, async () => {
  await (await apiServer.fetch(new Request(`http://server${PODS}?labelSelector=none%3Dhere`))).arrayBuffer();
});

Deno.bench(
  `ApiServer keeps ${WATCHES} watches of ${COUNT} pods up to date: each pod changes`,
  { n: 3, warmup: 1 },
  async (bench) => {
    const settle = await watchPods(apiServer.fetch, WATCHES, apiServer.revision);
    bench.start();
    await touchPods(apiServer.fetch, names, crypto.randomUUID());
    await settle();
    bench.end();
    apiServer.closeWatches();
  },
);
