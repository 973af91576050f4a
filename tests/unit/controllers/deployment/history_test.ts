import { assertEquals, assertRejects } from "@std/assert";
import type { ReplicaSet } from "../../../../src/api/mod.ts";
import { deleteReplicaSets } from "../../../../src/controllers/deployment/actions.ts";
import {
  lastRevision,
  maxRevision,
  nextRevision,
  planCleanup,
  sortedByRevision,
} from "../../../../src/controllers/deployment/history.ts";
import { FakeRecorder } from "../fake_recorder.ts";
import { RecordedClient } from "../recorded_client.ts";
import { statusError } from "../status_errors.ts";
import { ago } from "../fake_times.ts";
import { deployment, replicaSet, type ReplicaSetTraits } from "./fixtures.ts";

/** An empty ReplicaSet named after its revision. */
const empty = (revision: number, traits: ReplicaSetTraits = {}, size = 0) =>
  replicaSet(`r-${revision}`, size, { revision: String(revision), ...traits });

const CASES: { name: string; limit?: number; old: ReplicaSet[]; deleted: string[] }[] = [
  {
    name: "the lowest revisions beyond the limit",
    limit: 1,
    old: [empty(3), empty(1), empty(2)],
    deleted: ["r-1", "r-2"],
  },
  { name: "all of them with a limit of 0", limit: 0, old: [empty(2), empty(1)], deleted: ["r-1", "r-2"] },
  {
    name: "none in place of one that has pods",
    limit: 1,
    old: [empty(1, {}, 1), empty(2), empty(3)],
    deleted: ["r-2"],
  },
  { name: "none of which pods are left", limit: 0, old: [empty(1, { status: { replicas: 1 } })], deleted: [] },
  { name: "none whose status lags behind", limit: 0, old: [empty(1, { generation: 2 })], deleted: [] },
  {
    name: "none beside one that is being deleted already",
    limit: 1,
    old: [empty(1, { deletionTimestamp: ago(1) }), empty(2)],
    deleted: [],
  },
  { name: "none within the limit", limit: 3, old: [empty(1), empty(2), empty(3)], deleted: [] },
  { name: "none with the largest limit", limit: 2147483647, old: [empty(1), empty(2)], deleted: [] },
  { name: "none without a limit", old: [empty(1), empty(2)], deleted: [] },
  {
    name: "the older of equal revisions",
    limit: 1,
    old: [replicaSet("r-1", 0), replicaSet("r-2", 0)],
    deleted: ["r-2"],
  },
];
for (const { name, limit, old, deleted } of CASES) {
  Deno.test(`planCleanup() deletes ${name}`, () => {
    const plan = planCleanup(deployment({ revisionHistoryLimit: limit }), old);
    assertEquals(plan.map(({ metadata }) => metadata?.name), deleted);
  });
}

Deno.test("deleteReplicaSets() takes for deleted only what the server itself says is gone", async () => {
  const client = new RecordedClient();
  const context = { client, recorder: new FakeRecorder() };
  await deleteReplicaSets([empty(1)], context);
  client.fail("delete", new Error("cannot get a token", { cause: statusError(404, "NotFound") }));
  await assertRejects(() => deleteReplicaSets([empty(1)], context), Error, "cannot get a token");
});

const at = (...revisions: (string | undefined)[]) =>
  revisions.map((revision, i) => replicaSet(`r-${i + 1}`, 0, { revision }));

Deno.test("maxRevision() and lastRevision() skip what is not a number and take 0 for none", () => {
  const cases: [(string | undefined)[], bigint, bigint][] = [
    [[], 0n, 0n],
    [["1"], 1n, 0n],
    [["1", "2"], 2n, 1n],
    [["3", "1", "2"], 3n, 2n],
    [["x", "7", undefined], 7n, 0n],
    [["2", "2"], 2n, 2n],
    [["+7", "-8"], 7n, 0n],
    [["9007199254740992", "9007199254740993"], 2n ** 53n + 1n, 2n ** 53n],
    [["9223372036854775807", "1"], 2n ** 63n - 1n, 1n],
    [["9223372036854775808", "1"], 1n, 0n],
  ];
  for (const [revisions, max, last] of cases) {
    assertEquals([maxRevision(at(...revisions)), lastRevision(at(...revisions))], [max, last]);
  }
});

Deno.test("nextRevision() counts exactly beyond 2^53, and wraps at the end as upstream's 64 bits do", () => {
  assertEquals(nextRevision(at()), 1n);
  assertEquals(nextRevision(at("9007199254740992")), 9007199254740993n);
  assertEquals(nextRevision(at("9223372036854775807")), -9223372036854775808n);
  assertEquals(nextRevision(at("9223372036854775808", "4")), 5n, "what does not fit into 64 bits is no number");
});

Deno.test("sortedByRevision() puts low revisions first, then older ReplicaSets", () => {
  const names = sortedByRevision(at("10", "9", "2", "2")).map(({ metadata }) => metadata?.name);
  assertEquals(names, ["r-4", "r-3", "r-2", "r-1"]);
  assertEquals(sortedByRevision(at("x", "1")).map(({ metadata }) => metadata?.name), ["r-2", "r-1"]);
});
