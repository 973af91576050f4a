/** ARCHITECTURE.md's table of what grows, held against a running manager: each metric it names is served. */
import { assert, assertEquals } from "@std/assert";
import { parseMetrics } from "../../src/base/mod.ts";
import { ManagerUnderAttack } from "../adversary/timed/manager_under_attack.ts";

/** Cells of the table's rows. */
async function growthTable(): Promise<string[][]> {
  const text = await Deno.readTextFile(new URL("../../ARCHITECTURE.md", import.meta.url));
  const [, section] = text.split("## What grows, and its bound\n");
  const lines = section.split("\n## ")[0].split("\n").filter((line) => line.startsWith("|"));
  return lines.slice(2).map((line) => line.split("|").slice(1, -1).map((cell) => cell.trim()));
}

Deno.test("every metric that the table of what grows names is served by a running manager", async () => {
  const rows = await growthTable();
  const named = rows.flatMap(([, , metrics]) => [...metrics.matchAll(/`(\w+)`/g)].map(([, name]) => name));
  assert(named.length > 10, "the table was found");
  for (const [structure, bound] of rows) {
    assert(structure !== "" && bound !== "", `a row without a bound: ${structure}`);
  }
  await using manager = await ManagerUnderAttack.start({
    flags: [
      "--authorization-always-allow-paths=/healthz,/readyz,/metrics",
    ],
  });
  const [, body] = (await manager.ask("/metrics")).split("\r\n\r\n");
  const served = new Set(parseMetrics(body).map(({ name }) => name));
  assertEquals(named.filter((name) => !served.has(name)), []);
});
