import { assertEquals } from "@std/assert";
import type { StorageVersionMigration } from "../../../../src/api/mod.ts";
import { inState, is, isOver } from "../../../../src/controllers/storage_version_migrator/conditions.ts";
import { turnOf } from "../../../../src/controllers/storage_version_migrator/runner.ts";

function migration(name: string, createdAtSecond: number, ...states: string[]): StorageVersionMigration {
  const conditions = states.map((state) => {
    const [type, status = "True"] = state.split("=");
    return { type, status, reason: "x", message: "", lastTransitionTime: "2026-01-01T00:00:00Z" };
  });
  const creationTimestamp = `2026-01-01T00:00:0${createdAtSecond}Z`;
  return { metadata: { name, creationTimestamp }, status: { conditions } };
}

const TURNS: readonly [what: string, migrations: StorageVersionMigration[], ended: string[], next?: string][] = [
  ["nothing", [], []],
  ["one that is new", [migration("a", 1)], [], "a"],
  ["two: the older one", [migration("a", 2), migration("b", 1)], [], "b"],
  ["two of the same second: by name", [migration("b", 1), migration("a", 1)], [], "a"],
  ["one that runs", [migration("a", 1), migration("b", 2, "Running")], []],
  ["one that ran and is over", [migration("a", 1, "Running=False", "Succeeded"), migration("b", 2)], [], "b"],
  ["one that runs and has succeeded", [migration("a", 1, "Running", "Succeeded"), migration("b", 2)], ["a"], "b"],
  ["one that runs and has failed", [migration("a", 1, "Running", "Failed")], ["a"]],
  ["one that ran and is not over", [migration("a", 1, "Running=False")], [], "a"],
  ["one that has ended while another runs", [migration("a", 1, "Running", "Failed"), migration("b", 2, "Running")], [
    "a",
  ]],
  ["one that was over before it ran", [migration("a", 1, "Failed")], []],
];

for (const [what, migrations, ended, next] of TURNS) {
  Deno.test(`turnOf: ${what}`, () => {
    const turn = turnOf(migrations);
    const names = turn.ended.map(({ metadata }) => metadata?.name);
    assertEquals([names, turn.next?.metadata?.name], [ended, next]);
  });
}

Deno.test("inState: a condition that was ever told, true or false, is not told again", () => {
  const nowMs = Date.UTC(2026, 0, 2);
  const failed = inState(migration("a", 1, "Running"), "Failed", { message: "why", nowMs });
  assertEquals(failed.status?.conditions?.[1], {
    type: "Failed",
    status: "True",
    reason: "StorageVersionMigrationFailed",
    message: "why",
    lastTransitionTime: "2026-01-02T00:00:00Z",
  });
  assertEquals([is(failed, "Running"), isOver(failed)], [true, true]);
  for (const state of ["Running", "Running=False"]) {
    const before = migration("a", 1, state);
    assertEquals(inState(before, "Running", { message: "again", nowMs }), before);
  }
});
