/** The table of claims: which reservations, devices and claims go. */
import { assertEquals, assertRejects } from "@std/assert";
import { ALLOCATION, AT, claim, ClaimRig, consumer, KEEPER, ownedBy, pod } from "./rig.ts";

const GET = "GET pods a/p";
const STATUS = "PUT resourceclaims/status a/c";
const PUT = "PUT resourceclaims a/c";
const DELETE = "DELETE resourceclaims a/c";
const KEPT = { finalizers: [KEEPER] };
const USED = { allocation: ALLOCATION, reservedFor: [consumer("p")] };

/** What is left of the claim: reservations, whether it has devices, whether it is kept. */
function left(rig: ClaimRig): unknown {
  const found = rig.claim();
  if (!found) return "gone";
  const { status, metadata } = found;
  return [status?.reservedFor?.map(({ name }) => name) ?? [], !!status?.allocation, !!metadata?.finalizers?.length];
}

Deno.test("a claim stays reserved for a pod that lives, whether the cache shows it or not", async () => {
  const rig = new ClaimRig().store({ claims: [claim("c", KEPT, USED)], pods: [pod()] });
  rig.show();
  assertEquals([await rig.syncClaim(), left(rig)], [[], [["p"], true, true]]);
  rig.pods.replace([], "2");
  assertEquals([await rig.syncClaim(), left(rig)], [[GET], [["p"], true, true]]);
  assertEquals(await rig.syncClaim("a/gone"), []);
});

Deno.test("a claim is freed once its pod is known to be gone: remembered, replaced, or asked for", async () => {
  const free = [[], false, false];
  const asked = new ClaimRig().store({ claims: [claim("c", KEPT, USED)] }).show();
  assertEquals([await asked.syncClaim(), left(asked)], [[GET, STATUS, PUT], free]);
  const remembered = new ClaimRig().store({ claims: [claim("c", KEPT, USED)] }).show();
  remembered.gone.set("p", true);
  assertEquals([await remembered.syncClaim(), left(remembered)], [[STATUS, PUT], free]);
  const replaced = new ClaimRig().store({
    claims: [claim("c", KEPT, USED)],
    pods: [pod({ metadata: { uid: "new" } })],
  });
  replaced.show();
  assertEquals([await replaced.syncClaim(), left(replaced)], [[STATUS, PUT], free]);
  replaced.store({ claims: [claim("c", KEPT, USED)] }).show().pods.replace([], "2");
  assertEquals([await replaced.syncClaim(), left(replaced)], [[GET, STATUS, PUT], free]);
});

Deno.test("a pod of which nothing is known keeps its reservation", async () => {
  const rig = new ClaimRig().store({ claims: [claim("c", KEPT, USED)] }).show();
  rig.server.fail(GET, 403);
  await assertRejects(() => rig.syncClaim(), Error, "no luck");
  assertEquals(left(rig), [["p"], true, true]);
});

Deno.test("a claim that is being deleted goes when it is freed", async () => {
  const going = { ...KEPT, deletionTimestamp: AT };
  const used = new ClaimRig().store({ claims: [claim("c", going, USED)] }).show();
  assertEquals([await used.syncClaim(), left(used)], [[GET, STATUS, PUT], "gone"]);
  const unused = new ClaimRig().store({ claims: [claim("c", going, { allocation: ALLOCATION })] }).show();
  assertEquals([await unused.syncClaim(), left(unused)], [[STATUS, PUT], "gone"]);
  const empty = new ClaimRig().store({ claims: [claim("c", going)] }).show();
  assertEquals([await empty.syncClaim(), left(empty)], [[PUT], "gone"]);
  const held = new ClaimRig().store({ claims: [claim("c", going, USED)], pods: [pod()] }).show();
  assertEquals([await held.syncClaim(), left(held)], [[], [["p"], true, true]]);
});

Deno.test("a claim that was never reserved keeps its devices until it is deleted", async () => {
  const rig = new ClaimRig().store({ claims: [claim("c", KEPT, { allocation: ALLOCATION })] }).show();
  assertEquals([await rig.syncClaim(), left(rig)], [[], [[], true, true]]);
});

Deno.test("only what is gone loses its reservation, and the devices stay with the others", async () => {
  const thing = { apiGroup: "example.com", resource: "things", name: "t", uid: "t" };
  const reservedFor = [consumer("q"), consumer("p"), thing];
  const rig = new ClaimRig().store({
    claims: [claim("c", KEPT, { allocation: ALLOCATION, reservedFor })],
    pods: [pod({ metadata: { name: "q", uid: "q" } }), pod({ status: { phase: "Failed" } })],
  }).show();
  assertEquals([await rig.syncClaim(), left(rig)], [[STATUS], [["q", "t"], true, true]]);
});

Deno.test("a claim without the finalizer keeps its devices, and one without owner stays", async () => {
  const rig = new ClaimRig().store({ claims: [claim("c", {}, USED)], pods: [pod({ status: { phase: "Succeeded" } })] });
  assertEquals([await rig.show().syncClaim(), left(rig)], [[STATUS], [[], true, false]]);
});

Deno.test("a claim goes whose own pod has ended, was deleted without a node, or was replaced", async () => {
  const ended = [
    pod({ status: { phase: "Succeeded" } }),
    pod({ metadata: { deletionTimestamp: AT } }),
    pod({ metadata: { uid: "new" } }),
  ];
  for (const owner of ended) {
    const rig = new ClaimRig().store({ claims: [claim("c", { ...KEPT, ...ownedBy("p") }, USED)], pods: [owner] });
    assertEquals([await rig.show().syncClaim(), left(rig)], [[STATUS, PUT, DELETE], "gone"]);
  }
});

Deno.test("a claim stays whose own pod may still run, or is gone: the garbage collector sees to that", async () => {
  const running = new ClaimRig().store({
    claims: [claim("c", ownedBy("p"))],
    pods: [pod({ nodeName: "n", metadata: { deletionTimestamp: AT } })],
  });
  assertEquals(await running.show().syncClaim(), []);
  const gone = new ClaimRig().store({ claims: [claim("c", ownedBy("p"))] });
  assertEquals(await gone.show().syncClaim(), []);
});

Deno.test("a claim that is replaced meanwhile is not deleted", async () => {
  const rig = new ClaimRig().store({
    claims: [claim("c", ownedBy("p"))],
    pods: [pod({ status: { phase: "Failed" } })],
  });
  rig.show().store({ claims: [claim("c", { uid: "new" })] });
  await assertRejects(() => rig.syncClaim(), Error, "delete unused generated claim a/c");
  assertEquals(rig.claim()?.metadata?.uid, "new");
});

Deno.test("a claim that somebody else has deleted is done with", async () => {
  const rig = new ClaimRig().store({
    claims: [claim("c", ownedBy("p"))],
    pods: [pod({ status: { phase: "Failed" } })],
  });
  rig.show();
  rig.server.fail(DELETE, 404, 1);
  assertEquals(await rig.syncClaim(), [DELETE]);
});
