import { assert, assertEquals, assertRejects } from "@std/assert";
import { DataDirError, openDataDir } from "../../src/sandbox/mod.ts";
import { killWriters, startWriter } from "./durability.ts";

/** As many as take about three seconds; `tests/cluster` has the long run. */
const KILLS = 25;

Deno.test("A data directory keeps every acknowledged write through kill -9, and revisions never go back", async () => {
  const { kills, writes, interrupted } = await killWriters({ kills: KILLS, seed: 1 });
  assertEquals(kills, KILLS);
  assert(writes > 5 * KILLS, `only ${writes} writes`);
  assert(interrupted > 0, "no kill met a write under way");
});

Deno.test("A data directory that a process uses is refused to another until that one is gone, however it went", async () => {
  const dataDir = await Deno.makeTempDir();
  const writer = startWriter(dataDir, 1);
  const lines = writer.stdout.getReader();
  await lines.read();
  await assertRejects(() => openDataDir(dataDir), DataDirError, "another process uses it");
  writer.kill("SIGKILL");
  while (!(await lines.read()).done);
  await writer.status;
  const backend = await openDataDir(dataDir);
  assert(backend.revision > 1);
  backend.close();
  await Deno.remove(dataDir, { recursive: true });
});
