/** The table of pods: which claims are made, named and reserved. */
import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { RESOURCECLAIMS } from "../../../../src/api/mod.ts";
import {
  ALLOCATION,
  AT,
  byName,
  claim,
  ClaimRig,
  fromTemplate,
  named,
  ownedBy,
  pod,
  POD_CLAIM,
  template,
} from "./rig.ts";

const POST = "POST resourceclaims a";
const NAME = "PATCH pods/status a/p";

Deno.test("a claim is made from a template, owned by its pod, and named in the pod's status", async () => {
  const metadata = { labels: { a: "b" }, annotations: { c: "d" } };
  const made = template("t", { ...template().spec, metadata });
  const rig = new ClaimRig().store({ pods: [pod()], templates: [made] }).show();
  assertEquals(await rig.syncPod(), [POST, NAME]);
  const [created] = rig.allClaims;
  assertMatch(created.metadata!.name!, /^p-x-[a-z0-9]{5}$/);
  assertEquals(created.metadata?.ownerReferences, [{
    apiVersion: "v1",
    kind: "Pod",
    name: "p",
    uid: "p",
    controller: true,
  }]);
  assertEquals([created.metadata?.labels, created.metadata?.annotations], [{ a: "b" }, { c: "d", [POD_CLAIM]: "x" }]);
  assertEquals(rig.pod().status?.resourceClaimStatuses, [{ name: "x", resourceClaimName: created.metadata!.name! }]);
  const [fields] = rig.pod().metadata!.managedFields!;
  assertEquals([fields.manager, fields.operation, fields.subresource], ["ResourceClaimController", "Apply", "status"]);
  assertEquals([rig.creates("success"), rig.creates("failure")], [1, 0]);
  assertEquals(made.spec.metadata?.annotations, { c: "d" });
});

Deno.test("nothing is done for a pod that is gone, is being deleted, has ended, or has its claims", async () => {
  const idle = [
    new ClaimRig(),
    new ClaimRig().store({ pods: [pod({ metadata: { deletionTimestamp: AT } })], templates: [template()] }),
    new ClaimRig().store({ pods: [pod({ status: { phase: "Succeeded" } })], templates: [template()] }),
    new ClaimRig().store({ pods: [pod({ status: named({ x: "c" }) })], claims: [claim("c", ownedBy("p"))] }),
    new ClaimRig().store({ pods: [pod({ status: named({ x: null }) })], templates: [template()] }),
    new ClaimRig().store({ pods: [pod({ claims: [byName("users")] })] }),
  ];
  for (const rig of idle) assertEquals(await rig.show().syncPod(), []);
});

Deno.test("a claim that the status names and that is gone is made again", async () => {
  const rig = new ClaimRig().store({ pods: [pod({ status: named({ x: "gone" }) })], templates: [template()] }).show();
  assertEquals(await rig.syncPod(), [POST, NAME]);
  assertEquals(rig.pod().status?.resourceClaimStatuses?.[0].resourceClaimName, rig.allClaims[0].metadata?.name);
});

Deno.test("a claim that the status names and that belongs to another is left alone, and one is made", async () => {
  const rig = new ClaimRig();
  rig.store({ pods: [pod({ status: named({ x: "c" }) })], claims: [claim("c")], templates: [template()] }).show();
  assertEquals(await rig.syncPod(), [POST, NAME]);
  assertEquals(rig.allClaims.length, 2);
});

Deno.test("without its template a claim is not made, and later ones wait", async () => {
  const claims = [fromTemplate("x", "none"), fromTemplate("y")];
  const rig = new ClaimRig().store({ pods: [pod({ claims })], templates: [template()] }).show();
  const why = 'resource claim template "none": resourceclaimtemplate.resource.k8s.io "none" not found';
  await assertRejects(() => rig.syncPod(), Error, `pod a/p, PodResourceClaim x: ${why}`);
  assertEquals(rig.recorder.lines, [`Warning FailedResourceClaimCreation a/p PodResourceClaim x: ${why}`]);
  assertEquals(rig.server.calls, []);
});

Deno.test("a claim that a crash has left behind is named, not made twice", async () => {
  const claims = [claim("left", ownedBy("p")), claim("other", ownedBy("p", "y")), claim("strange", ownedBy("q"))];
  const rig = new ClaimRig().store({ pods: [pod()], claims, templates: [template()] }).show();
  assertEquals(await rig.syncPod(), [NAME]);
  assertEquals(rig.pod().status?.resourceClaimStatuses, [{ name: "x", resourceClaimName: "left" }]);
});

Deno.test("a claim that the cache does not show yet is named, not made twice", async () => {
  const rig = new ClaimRig().store({ pods: [pod()], templates: [template()] }).show();
  rig.server.fail(NAME, 403, 1);
  await assertRejects(() => rig.syncPod(), Error, "update pod a/p ResourceClaimStatuses: no luck");
  assertEquals(await rig.syncPod(), [NAME]);
  assertEquals(rig.allClaims.length, 1);
});

Deno.test("a claim that the status names before the cache shows it is not named again", async () => {
  const rig = new ClaimRig().store({ pods: [pod()], templates: [template()] }).show();
  await rig.syncPod();
  rig.show().claims.replace([], "2");
  assertEquals(await rig.syncPod(), []);
});

Deno.test("a creation that is refused is counted and told", async () => {
  const rig = new ClaimRig().store({ pods: [pod()], templates: [template()] }).show();
  rig.server.fail(POST, 409, 1);
  await assertRejects(() => rig.syncPod(), Error, "create ResourceClaim : no luck");
  assertEquals([rig.creates("success"), rig.creates("failure")], [0, 1]);
  assertEquals(rig.recorder.lines, [
    "Warning FailedResourceClaimCreation a/p PodResourceClaim x: create ResourceClaim : no luck",
  ]);
});

Deno.test("naming one new claim repeats the others: what is not repeated is removed", async () => {
  const claims = [fromTemplate("y"), fromTemplate("x"), fromTemplate("z"), byName("users")];
  const rig = new ClaimRig().store({ pods: [pod({ claims, status: named({ z: null }) })], templates: [template()] })
    .show();
  assertEquals(await rig.syncPod(), [POST, POST, NAME]);
  const names = () =>
    rig.pod().status?.resourceClaimStatuses?.map(({ name, resourceClaimName }) => [
      name,
      resourceClaimName?.replace(/.{5}$/, ""),
    ]);
  const all = [["z", undefined], ["x", "p-x-"], ["y", "p-y-"]];
  assertEquals(names(), all);
  const [lost] = rig.allClaims.filter(({ metadata }) => metadata?.annotations?.[POD_CLAIM] === "x");
  rig.server.remove(RESOURCECLAIMS, `a/${lost.metadata!.name}`);
  rig.created.shown(lost);
  rig.show();
  assertEquals(await rig.syncPod(), [POST, NAME]);
  assertEquals(names(), all);
});

Deno.test("a pod that came to its node past the scheduler may use what has a device", async () => {
  const claims = [byName("a"), byName("b"), byName("c")];
  const own = { name: "p", uid: "p", resource: "pods" };
  const rig = new ClaimRig().store({
    pods: [pod({ claims, nodeName: "n" })],
    claims: [
      claim("a", {}, { allocation: ALLOCATION }),
      claim("b"),
      claim("c", {}, { allocation: ALLOCATION, reservedFor: [own] }),
    ],
  }).show();
  assertEquals(await rig.syncPod(), ["PUT resourceclaims/status a/a"]);
  assertEquals(rig.claim("a/a")?.status?.reservedFor, [own]);
});

Deno.test("a pod without a node leaves reservations to the scheduler", async () => {
  const rig = new ClaimRig().store({
    pods: [pod({ claims: [byName("a")] })],
    claims: [claim("a", {}, { allocation: ALLOCATION })],
  }).show();
  assertEquals(await rig.syncPod(), []);
});

Deno.test("a reservation that is refused names the claim", async () => {
  const rig = new ClaimRig().store({
    pods: [pod({ claims: [byName("a")], nodeName: "n" })],
    claims: [claim("a", {}, { allocation: ALLOCATION })],
  }).show();
  rig.server.fail("PUT resourceclaims/status", 409);
  await assertRejects(() => rig.syncPod(), Error, "reserve claim a/a: no luck");
});

Deno.test("what a template asks for must not be turned off", async () => {
  const exactly = { deviceClassName: "gpu", adminAccess: true };
  const admin = template("t", { spec: { devices: { requests: [{ name: "r", exactly }] } } });
  const firstAvailable = [{ name: "s", deviceClassName: "gpu" }];
  const prioritized = template("u", { spec: { devices: { requests: [{ name: "r", firstAvailable }] } } });
  const rig = new ClaimRig();
  rig.gates.clear();
  const claims = [fromTemplate("x")];
  const second = pod({ metadata: { name: "q" }, claims: [fromTemplate("x", "u")] });
  rig.store({ pods: [pod({ claims }), second], templates: [admin, prioritized] }).show();
  await assertRejects(() => rig.syncPod(), Error, "admin access is requested, but the feature is disabled");
  const why = "template includes a prioritized list of subrequests, but the feature is disabled";
  await assertRejects(() => rig.syncPod("a/q"), Error, why);
});

Deno.test("a claim that is named in a way nobody knows is an error", async () => {
  const rig = new ClaimRig().store({ pods: [pod({ claims: [{ name: "x" }] })] }).show();
  const why =
    'checking for claim before creating it: pod "a/p", spec.resourceClaim "x": none of the supported fields are set';
  await assertRejects(() => rig.syncPod(), Error, why);
});
