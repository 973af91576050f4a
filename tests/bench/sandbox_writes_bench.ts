/** What the embedded API server's writes cost. */
import { MemoryLogger, systemWorld } from "../../src/base/mod.ts";
import { httpTransport } from "../../src/client/mod.ts";
import { openDataDir, serveApiServer } from "../../src/sandbox/mod.ts";
import { benchServer, createPods } from "./sandbox_fixtures.ts";

const COUNT = 5000;
const AT_ONCE = 32;
const options = { n: 3, warmup: 1 };

Deno.bench(`ApiServer creates ${COUNT} pods in process`, options, async (bench) => {
  const server = await benchServer();
  bench.start();
  await createPods(server.fetch, { count: COUNT });
  bench.end();
  server.close();
});

Deno.bench(`ApiServer creates ${COUNT} pods in process, with a data directory`, options, async (bench) => {
  const dataDir = await Deno.makeTempDir();
  const server = await benchServer({ backend: await openDataDir(dataDir) });
  bench.start();
  await createPods(server.fetch, { count: COUNT });
  bench.end();
  server.close();
  await Deno.remove(dataDir, { recursive: true });
});

Deno.bench(`ApiServer creates ${COUNT} pods over http, ${AT_ONCE} at once`, options, async (bench) => {
  const apiServer = await benchServer();
  await using served = await serveApiServer({ apiServer });
  const transport = httpTransport({ world: systemWorld(new MemoryLogger()), server: served.url });
  bench.start();
  await createPods((request) => transport(request), { count: COUNT, atOnce: AT_ONCE, origin: served.url });
  bench.end();
  apiServer.close();
});
