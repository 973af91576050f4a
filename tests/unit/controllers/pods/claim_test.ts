import { assertEquals, assertRejects } from "@std/assert";
import {
  type OwnerReference,
  parseLabelSelector,
  type Pod,
  PODS,
  type PodSpec,
  type ReplicaSet,
  REPLICASETS,
} from "../../../../src/api/mod.ts";
import { defaultPodSpec } from "../../../../src/rules/mod.ts";
import { type Clock, FakeClock, TurnBudget } from "../../../../src/base/mod.ts";
import { claim } from "../../../../src/controllers/pods/mod.ts";
import { BusyClock } from "../../base/busy_clock.ts";
import { statusError } from "../status_errors.ts";
import { RecordedClient } from "../recorded_client.ts";

const REF: OwnerReference = {
  apiVersion: "apps/v1",
  kind: "ReplicaSet",
  name: "r",
  uid: "uid-r",
  controller: true,
  blockOwnerDeletion: true,
};
const PARENT: ReplicaSet = { metadata: { namespace: "a", name: "r", uid: "uid-r" } };
const DELETING = "2026-01-01T00:00:00Z";

function pod(name: string, metadata: Pod["metadata"] = {}): Pod {
  const spec: PodSpec = { containers: [{ name: "c", image: "c" }], enableServiceLinks: true };
  defaultPodSpec(spec); // a server that is asked to change a pod looks at all of it
  return { metadata: { namespace: "a", name, uid: `uid-${name}`, labels: { app: "x" }, ...metadata }, spec };
}

/** Claims `pods` for `parent`; the parent and the pods exist on the server unless told otherwise. */
function setUp(
  pods: Pod[],
  { parent = PARENT, live = parent, stored = pods, clock = new FakeClock() }: {
    parent?: ReplicaSet;
    live?: ReplicaSet | null;
    stored?: Pod[];
    clock?: Clock;
  } = {},
) {
  const client = new RecordedClient();
  if (live) client.store(REPLICASETS, live);
  client.store(PODS, ...stored);
  const patched: string[] = [];
  const run = async (filter?: (pod: Pod) => boolean) => {
    const claimed = await claim(pods, {
      client,
      parent,
      parentResource: REPLICASETS,
      resource: PODS,
      selector: parseLabelSelector("app=x"),
      filter,
      budget: new TurnBudget(clock),
      onPatched: ({ metadata }) => patched.push(metadata?.name ?? ""),
    });
    return claimed.map(({ metadata }) => metadata?.name);
  };
  return { client, run, patched };
}

Deno.test("claim: an object controlled by another uid is ignored", async () => {
  const { client, run } = setUp([pod("p", { ownerReferences: [{ ...REF, uid: "other" }] })]);
  assertEquals(await run(), []);
  assertEquals(client.calls, []);
});

Deno.test("claim: an object of ours that matches is claimed, also while the parent is being deleted", async () => {
  for (const deletionTimestamp of [undefined, DELETING]) {
    const parent = { metadata: { ...PARENT.metadata, deletionTimestamp } };
    const { client, run } = setUp([pod("p", { ownerReferences: [REF] })], { parent });
    assertEquals(await run(), ["p"]);
    assertEquals(client.calls, []);
  }
});

Deno.test("claim: an object of ours that does not match is released, unless the parent is being deleted", async () => {
  const stranger = pod("p", { ownerReferences: [{ ...REF, controller: false, uid: "u2" }, REF], labels: { app: "y" } });
  const { client, run, patched } = setUp([stranger]);
  assertEquals(await run(), []);
  assertEquals(client.calls, [{
    text: "patch pods a/p",
    body: { metadata: { uid: "uid-p", ownerReferences: [{ $patch: "delete", uid: "uid-r" }] } },
  }]);
  assertEquals(client.find(PODS, "a/p")?.metadata?.ownerReferences?.map(({ uid }) => uid), ["u2"]);
  assertEquals(patched, ["p"]);

  const deleting = setUp([stranger], { parent: { metadata: { ...PARENT.metadata, deletionTimestamp: DELETING } } });
  assertEquals(await deleting.run(), []);
  assertEquals(deleting.client.calls, []);
});

Deno.test("claim: an object that is gone or refuses the patch as invalid counts as released", async () => {
  const stranger = pod("p", { ownerReferences: [REF], labels: {} });
  for (const stored of [[], [pod("p", { uid: "another", ownerReferences: [REF] })]]) {
    const { client, run, patched } = setUp([stranger], { stored });
    assertEquals(await run(), []);
    assertEquals([client.writes, patched], [["patch pods a/p"], []]);
    assertEquals(client.find(PODS, "a/p")?.metadata?.ownerReferences, stored.at(0) && [REF]);
  }
  const { client, run } = setUp([pod("p", { ownerReferences: [REF], labels: {} })]);
  client.fail("patch", statusError(500, "InternalError", "broken"));
  await assertRejects(() => run(), Error, "broken");
});

Deno.test("claim: a matching orphan is adopted", async () => {
  const { client, run, patched } = setUp([pod("p")]);
  assertEquals(await run(), ["p"]);
  assertEquals(client.calls.map(({ text }) => text), ["get replicasets a/r", "patch pods a/p"]);
  assertEquals(client.calls[1].body, { metadata: { ownerReferences: [REF], uid: "uid-p" } });
  assertEquals(patched, ["p"]);
});

Deno.test("claim: a matching orphan is adopted, unless it or the parent is being deleted or their namespaces differ; one that does not match is left alone", async () => {
  const orphans = [
    pod("deleting", { deletionTimestamp: DELETING }),
    pod("other-labels", { labels: { app: "y" } }),
    pod("no-labels", { labels: undefined }),
    pod("elsewhere", { namespace: "b" }),
  ];
  const { client, run } = setUp(orphans);
  assertEquals(await run(), []);
  assertEquals(client.calls, []);
  const deleting = setUp([pod("p")], { parent: { metadata: { ...PARENT.metadata, deletionTimestamp: DELETING } } });
  assertEquals(await deleting.run(), []);
  assertEquals(deleting.client.calls, []);
});

Deno.test("claim: an orphan that is gone is ignored", async () => {
  const { run } = setUp([pod("p"), pod("q")], { stored: [pod("q")] });
  assertEquals(await run(), ["q"]);
});

Deno.test("claim: before the first adoption the parent is read from the API server, once", async () => {
  const { client, run } = setUp([pod("p"), pod("q"), pod("mine", { ownerReferences: [REF] })]);
  assertEquals(await run(), ["p", "q", "mine"]);
  assertEquals(client.calls.filter(({ text }) => text.startsWith("get")).length, 1);
});

const GONE: { name: string; live: ReplicaSet | null; message: string }[] = [
  { name: "is gone", live: null, message: `can't adopt Pod a/p (uid-p): replicasets.apps "r" not found` },
  {
    name: "is another object of the same name",
    live: { metadata: { ...PARENT.metadata, uid: "new" } },
    message: "can't adopt Pod a/p (uid-p): original ReplicaSet a/r is gone: got uid new, wanted uid-r",
  },
  {
    name: "is being deleted",
    live: { metadata: { ...PARENT.metadata, deletionTimestamp: DELETING } },
    message: `can't adopt Pod a/p (uid-p): a/r has just been deleted at ${DELETING}`,
  },
];
for (const { name, live, message } of GONE) {
  Deno.test(`claim: every adoption fails when the parent ${name}`, async () => {
    const { client, run } = setUp([pod("p"), pod("q")], { live });
    const error = await assertRejects(() => run(), AggregateError);
    assertEquals(error.message, `[${message}, ${message.replace("a/p (uid-p)", "a/q (uid-q)")}]`);
    assertEquals(client.writes, []);
    assertEquals(client.calls.length, 1);
  });
}

Deno.test("claim: an error stops no other object; at the end any error fails the whole claim", async () => {
  const { client, run } = setUp([pod("p"), pod("q"), pod("s", { ownerReferences: [REF], labels: {} })]);
  client.fail("patch pods a/p", statusError(409, "Conflict", "changed"));
  await assertRejects(() => run(), Error, "changed");
  assertEquals(client.writes, ["patch pods a/p", "patch pods a/q", "patch pods a/s"]);
});

Deno.test("claim releases what the filter refuses", async () => {
  const { client, run } = setUp([pod("p", { ownerReferences: [REF] }), pod("q")]);
  assertEquals(await run((candidate) => candidate.metadata?.name !== "p"), ["q"]);
  assertEquals(client.writes, ["patch pods a/p", "patch pods a/q"]);
});

Deno.test("claim: an answer about something else, as of a credential, decides about no object", async () => {
  for (const [code, reason] of [[404, "NotFound"], [422, "Invalid"]] as const) {
    const pods = [pod("orphan"), pod("stranger", { ownerReferences: [REF], labels: { app: "y" } })];
    const { client, run } = setUp(pods);
    client.fail("patch", new Error("cannot get a token", { cause: statusError(code, reason) }));
    const error = await assertRejects(run, Error, "cannot get a token");
    assertEquals((error as AggregateError).errors.length, 2, "neither gone nor released");
  }
});

Deno.test("claim: the event loop gets its turns between objects", async () => {
  const clock = new BusyClock();
  const { run } = setUp(Array.from({ length: 50 }, (_, i) => pod(`p${i}`, { ownerReferences: [REF] })), { clock });
  assertEquals((await run()).length, 50);
  assertEquals(clock.turns, 50);
});
