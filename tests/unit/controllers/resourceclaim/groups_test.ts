/** Claims that the pods of a group share. */
import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { RESOURCECLAIMS } from "../../../../src/api/mod.ts";
import {
  ALLOCATION,
  AT,
  byName,
  claim,
  ClaimRig,
  consumer,
  fromTemplate,
  group,
  KEEPER,
  named,
  ownedBy,
  ownedByGroup,
  pod,
  POD_CLAIM,
  type PodTraits,
  template,
} from "./rig.ts";

const POST = "POST resourceclaims a";
const NAME_GROUP = "PATCH podgroups/status a/g";
const NAME_POD = "PATCH pods/status a/p";
const RESERVE = "PUT resourceclaims/status a/c";
const GROUP_CONSUMER = { apiGroup: "scheduling.k8s.io", resource: "podgroups", name: "g", uid: "g" };

const withGroups = () => new ClaimRig({ withGroups: true });
const member = (traits: PodTraits = {}) => pod({ group: "g", ...traits });

Deno.test("a group's claim is made from a template, owned by the group, and named in the group's status", async () => {
  const rig = withGroups().store({ groups: [group()], templates: [template()] }).show();
  assertEquals(await rig.syncGroup(), [POST, NAME_GROUP]);
  const [created] = rig.allClaims;
  assertMatch(created.metadata!.name!, /^g-x-[a-z0-9]{5}$/);
  assertEquals(created.metadata?.annotations, { [POD_CLAIM]: "x" });
  assertEquals(created.metadata?.ownerReferences, [{
    apiVersion: "scheduling.k8s.io/v1alpha2",
    kind: "PodGroup",
    name: "g",
    uid: "g",
    controller: true,
  }]);
  assertEquals(rig.group().status?.resourceClaimStatuses, [{ name: "x", resourceClaimName: created.metadata!.name! }]);
  const [fields] = rig.group().metadata!.managedFields!;
  assertEquals([fields.manager, fields.operation, fields.subresource], ["ResourceClaimController", "Apply", "status"]);
  assertEquals(rig.creates("success"), 1);
  assertEquals(await rig.show().syncGroup(), []);
});

Deno.test("nothing is done for a group that is gone, is being deleted, or has its claims", async () => {
  const idle = [
    withGroups(),
    withGroups().store({ groups: [group({ deletionTimestamp: AT, finalizers: ["x"] })], templates: [template()] }),
    withGroups().store({ groups: [group({}, { status: named({ x: "c" }) })], claims: [claim("c", ownedByGroup("g"))] }),
    withGroups().store({ groups: [group({}, { claims: [byName("users")] })] }),
  ];
  for (const rig of idle) assertEquals(await rig.show().syncGroup(), []);
});

Deno.test("a group's claim that its status names and that is gone or another's is made again", async () => {
  for (const claims of [[], [claim("c", ownedBy("p"))]]) {
    const rig = withGroups().store({ groups: [group({}, { status: named({ x: "c" }) })], claims });
    assertEquals(await rig.store({ templates: [template()] }).show().syncGroup(), [POST, NAME_GROUP]);
  }
});

Deno.test("a group's claim that a crash has left behind is named, not made twice", async () => {
  const left = claim("left", ownedByGroup("g"));
  const rig = withGroups().store({ groups: [group()], claims: [left], templates: [template()] }).show();
  assertEquals(await rig.syncGroup(), [NAME_GROUP]);
});

Deno.test("without its template a group's claim is not made, and the group is told", async () => {
  const rig = withGroups().store({ groups: [group()] }).show();
  const why = 'resource claim template "t": resourceclaimtemplate.resource.k8s.io "t" not found';
  await assertRejects(() => rig.syncGroup(), Error, `PodGroup a/g, PodGroupResourceClaim x: ${why}`);
  assertEquals(rig.recorder.lines, [`Warning FailedResourceClaimCreation a/g PodGroupResourceClaim x: ${why}`]);
});

Deno.test("a pod waits for the claim that it shares with its group, and is told its name", async () => {
  const rig = withGroups().store({ groups: [group()], pods: [member()], templates: [template()] }).show();
  assertEquals(await rig.syncPod(), []);
  await rig.syncGroup();
  assertEquals(await rig.syncPod(), [NAME_POD]);
  assertEquals(rig.pod().status?.resourceClaimStatuses, rig.group().status?.resourceClaimStatuses);
  assertEquals(rig.allClaims.length, 1);
});

Deno.test("a pod shares with its group only what both call and find by the same name", async () => {
  const differing = [fromTemplate("y"), fromTemplate("x", "u")];
  for (const asked of differing) {
    const rig = withGroups().store({ groups: [group()], pods: [member({ claims: [asked] })] });
    rig.store({ templates: [template("t"), template("u")] }).show();
    assertEquals(await rig.syncPod(), [POST, NAME_POD]);
    assertEquals(rig.allClaims[0].metadata?.ownerReferences?.[0].kind, "Pod");
  }
});

Deno.test("where groups do not count a pod has claims of its own", async () => {
  const rig = new ClaimRig().store({ groups: [group()], pods: [member()], templates: [template()] }).show();
  assertEquals(await rig.syncPod(), [POST, NAME_POD]);
  assertEquals(await rig.syncGroup(), []);
});

Deno.test("a pod whose group is not there is tried again", async () => {
  const rig = withGroups().store({ pods: [member()], templates: [template()] }).show();
  const why = 'get PodGroup for Pod a/p: podgroup.scheduling.k8s.io "g" not found';
  await assertRejects(() => rig.syncPod(), Error, why);
  assertEquals(rig.server.calls, []);
});

Deno.test("a shared claim is reserved for the group, once for all of its pods", async () => {
  const shared = claim("c", ownedByGroup("g"), { allocation: ALLOCATION });
  const status = named({ x: "c" });
  const pods = ["p", "q"].map((name) => member({ metadata: { name, uid: name }, nodeName: "n", status }));
  const rig = withGroups().store({ groups: [group({}, { status })], pods, claims: [shared] }).show();
  assertEquals(await rig.syncPod(), [RESERVE]);
  assertEquals(rig.claim()?.status?.reservedFor, [GROUP_CONSUMER]);
  assertEquals(await rig.show().syncPod("a/q"), []);
});

Deno.test("a user's claim that both name is reserved for the group, another for the pod", async () => {
  const claims = [byName("c"), byName("d")];
  const rig = withGroups().store({
    groups: [group({}, { claims: [byName("c")] })],
    pods: [member({ claims, nodeName: "n" })],
    claims: [claim("c", {}, { allocation: ALLOCATION }), claim("d", {}, { allocation: ALLOCATION })],
  }).show();
  assertEquals(await rig.syncPod(), [RESERVE, "PUT resourceclaims/status a/d"]);
  assertEquals(rig.claim()?.status?.reservedFor, [GROUP_CONSUMER]);
  assertEquals(rig.claim("a/d")?.status?.reservedFor, [consumer("p")]);
});

Deno.test("a pod on its node waits for its group's claim without an error", async () => {
  const pods = [member({ nodeName: "n" })];
  assertEquals(await withGroups().store({ groups: [group()], pods }).show().syncPod(), []);
});

Deno.test("a claim that says to be another group's is not the pod's, and a pod without group has none", async () => {
  for (const traits of [{ group: "h" }, {}]) {
    const rig = withGroups().store({
      groups: [group({ name: "h", uid: "h" })],
      pods: [pod({ ...traits, claims: [fromTemplate("y")], nodeName: "n", status: named({ y: "c" }) })],
      claims: [claim("c", ownedByGroup("g", "y"), { allocation: ALLOCATION })],
      templates: [template()],
    }).show();
    assertEquals(await rig.syncPod(), [POST, NAME_POD]);
    assertEquals(rig.claim()?.status?.reservedFor, undefined);
  }
});

Deno.test("a claim of another namespace is nobody's here, whatever owner it names", async () => {
  const foreign = claim("left", { ...ownedByGroup("g"), namespace: "b" });
  const other = claim("mine", { ...ownedBy("p"), namespace: "b" });
  const rig = withGroups().store({ groups: [group()], pods: [pod()], templates: [template()] });
  rig.store({ claims: [foreign, other] }).show();
  assertEquals(await rig.syncGroup(), [POST, NAME_GROUP]);
  assertEquals(await rig.syncPod(), [POST, NAME_POD]);
});

const KEPT = { finalizers: [KEEPER] };
const USED = { allocation: ALLOCATION, reservedFor: [GROUP_CONSUMER] };
const GET = "GET podgroups a/g";
const FREE = [RESERVE, "PUT resourceclaims a/c"];

Deno.test("a claim stays reserved for a group that is there, also without pods, whether the cache shows it or not", async () => {
  const rig = withGroups().store({ claims: [claim("c", KEPT, USED)], groups: [group()] }).show();
  assertEquals(await rig.syncClaim(), []);
  rig.groups!.replace([], "2");
  assertEquals(await rig.syncClaim(), [GET]);
});

Deno.test("a claim is freed once its group is known to be gone: remembered, replaced, or asked for", async () => {
  const asked = withGroups().store({ claims: [claim("c", KEPT, USED)] }).show();
  assertEquals(await asked.syncClaim(), [GET, ...FREE]);
  const remembered = withGroups().store({ claims: [claim("c", KEPT, USED)] }).show();
  remembered.gone.set("g", true);
  assertEquals(await remembered.syncClaim(), FREE);
  const replaced = withGroups().store({ claims: [claim("c", KEPT, USED)], groups: [group({ uid: "new" })] }).show();
  assertEquals(await replaced.syncClaim(), FREE);
});

Deno.test("a group of which nothing is known keeps its reservation, and so it does where groups do not count", async () => {
  const rig = withGroups().store({ claims: [claim("c", KEPT, USED)] }).show();
  rig.server.fail(GET, 403);
  await assertRejects(() => rig.syncClaim(), Error, "no luck");
  assertEquals(await new ClaimRig().store({ claims: [claim("c", KEPT, USED)] }).show().syncClaim(), []);
});

Deno.test("a shared claim that is made again gets its new name into the pods", async () => {
  const status = named({ x: "gone" });
  const rig = withGroups().store({
    groups: [group({}, { status })],
    pods: [member({ status })],
    templates: [template()],
  });
  await rig.show().syncGroup();
  assertEquals(await rig.show().syncPod(), [NAME_POD]);
  assertEquals(
    rig.pod().status?.resourceClaimStatuses?.[0].resourceClaimName,
    rig.server.all(RESOURCECLAIMS)[0].metadata?.name,
  );
});
