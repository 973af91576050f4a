// deno-lint-ignore-file no-console -- run by hand, it prints what it measures
/**
 * The embedded API server's figures in one table: `deno run -A --v8-flags=--expose-gc tests/bench/sandbox_figures.ts`.
 */
import { MemoryLogger, systemWorld } from "../../src/base/mod.ts";
import { httpTransport } from "../../src/client/mod.ts";
import { openDataDir, serveApiServer } from "../../src/sandbox/mod.ts";
import { benchServer, createPods, PODS, touchPods, watchPods } from "./sandbox_fixtures.ts";

const PODS_STORED = 10_000;
const CREATED = 5000;
const WATCHES = 100;
const ROUNDS = 3;

declare const gc: (() => void) | undefined;

async function elapsedMs(act: () => Promise<unknown>): Promise<number> {
  const startMs = performance.now();
  await act();
  return performance.now() - startMs;
}

/** The shortest of several rounds: what disturbs a round makes it longer. */
async function bestMs(act: () => Promise<unknown>): Promise<number> {
  let best = Infinity;
  for (let i = 0; i < ROUNDS; i++) best = Math.min(best, await elapsedMs(act));
  return best;
}

function memoryBytes(): number {
  gc?.();
  const { heapUsed, external } = Deno.memoryUsage();
  return heapUsed + external;
}

const rate = (count: number, ms: number) => `${Math.round(count / ms * 1000).toLocaleString("en")}/s`;
const figures: Record<string, string> = {};

{
  const server = await benchServer();
  const ms = await bestMs(() => createPods(server.fetch, { count: CREATED }));
  figures["pod creates in process"] = rate(CREATED, ms);
  server.close();
}
{
  const server = await benchServer({ managedFields: false });
  const ms = await bestMs(() => createPods(server.fetch, { count: CREATED }));
  figures["the same without managedFields"] = rate(CREATED, ms);
  server.close();
}
{
  const dataDir = await Deno.makeTempDir();
  const server = await benchServer({ backend: await openDataDir(dataDir) });
  figures["the same with a data directory"] = rate(
    CREATED,
    await bestMs(() => createPods(server.fetch, { count: CREATED })),
  );
  await createPods(server.fetch, { count: Math.max(0, PODS_STORED - ROUNDS * CREATED) });
  server.close();
  const ms = await elapsedMs(async () => (await openDataDir(dataDir)).close());
  figures[`opening a data directory of ${Math.max(PODS_STORED, ROUNDS * CREATED)} pods`] = `${Math.round(ms)} ms`;
  await Deno.remove(dataDir, { recursive: true });
}
{
  const apiServer = await benchServer();
  await using served = await serveApiServer({ apiServer });
  const transport = httpTransport({ world: systemWorld(new MemoryLogger()), server: served.url });
  const over = (atOnce: number) => () =>
    createPods((request) => transport(request), { count: CREATED, atOnce, origin: served.url });
  figures["pod creates over http, 32 at once"] = rate(CREATED, await bestMs(over(32)));
  apiServer.close();
}
{
  const before = memoryBytes();
  const apiServer = await benchServer();
  const names = await createPods(apiServer.fetch, { count: PODS_STORED });
  const perPod = (memoryBytes() - before) / PODS_STORED;
  figures["memory per stored pod, its text included"] = `${(perPod / 1024).toFixed(1)} KiB`;
  await using served = await serveApiServer({ apiServer });
  const list = async (get: () => Promise<Response>) => (await (await get()).arrayBuffer()).byteLength;
  const inProcess = () => list(() => apiServer.fetch(new Request(`http://server${PODS}`)));
  figures[`list of ${PODS_STORED} pods in process`] = `${Math.round(await bestMs(inProcess))} ms`;
  figures["the same over http"] = `${Math.round(await bestMs(() => list(() => fetch(served.url + PODS))))} ms`;
  figures["its size"] = `${((await inProcess()) / 2 ** 20).toFixed(1)} MiB`;
  figures["pod status patches, no watch"] = rate(
    PODS_STORED,
    await bestMs(() => touchPods(apiServer.fetch, names, crypto.randomUUID())),
  );
  const settle = await watchPods(apiServer.fetch, WATCHES, apiServer.revision);
  const ms = await bestMs(async () => {
    await touchPods(apiServer.fetch, names, crypto.randomUUID());
    await settle();
  });
  figures[`the same with ${WATCHES} watches kept up to date`] = `${rate(PODS_STORED, ms)}, ${
    rate(PODS_STORED * WATCHES, ms)
  } events`;
  apiServer.close();
}

const width = Math.max(...Object.keys(figures).map((name) => name.length));
for (const [name, value] of Object.entries(figures)) console.log(`${name.padEnd(width)}  ${value}`);
