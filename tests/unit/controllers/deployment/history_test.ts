import { assertEquals, assertRejects } from "@std/assert";
import type { ReplicaSet } from "../../../../src/api/mod.ts";
import { planCleanup } from "../../../../src/controllers/deployment/history.ts";
import { deleteReplicaSets } from "../../../../src/controllers/deployment/actions.ts";
import { FakeClient, FakeRecorder, statusError } from "../fake_client.ts";
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
  const client = new FakeClient();
  const context = { client, recorder: new FakeRecorder() };
  await deleteReplicaSets([empty(1)], context);
  client.fail("delete", new Error("cannot get a token", { cause: statusError(404, "NotFound") }));
  await assertRejects(() => deleteReplicaSets([empty(1)], context), Error, "cannot get a token");
});
