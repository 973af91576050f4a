/** The controller as a whole, with attachers and kubelets played by hand. */
import { assert, assertEquals } from "@std/assert";
import {
  CSIDRIVERS,
  NODES,
  PERSISTENTVOLUMECLAIMS,
  PERSISTENTVOLUMES,
  PODS,
  VOLUMEATTACHMENTS,
} from "../../../../src/api/mod.ts";
import { DeletedFinalStateUnknown } from "../../../../src/cache/mod.ts";
import { statusError } from "../status_errors.ts";
import { attachmentOf, AttachRig, uniqueName } from "./rig.ts";

const OUT_OF_SERVICE = "node.kubernetes.io/out-of-service";
const MINUTE_MS = 60_000;
const FORCED = "attach_detach_controller_attachdetach_controller_forced_detaches";
const POST = `POST volumeattachments ${attachmentOf("v", "n")}`;
const DELETE = `DELETE volumeattachments ${attachmentOf("v", "n")}`;
const PATCH = "PATCH nodes n";

/** A pod whose volume is attached; the kubelet uses it if that is asked for. */
async function attached(rig: AttachRig, { inUse = false, modes = ["ReadWriteOnce"] } = {}): Promise<void> {
  rig.node("n");
  rig.claim("v", modes);
  rig.pod("p", "n", ["v"]);
  await rig.start();
  await rig.advance(10);
  rig.answer("v", "n", { attached: true });
  await rig.advance(10);
  rig.node("n", { inUse: inUse ? ["v"] : [] });
  assertEquals(rig.writes.splice(0), [POST, PATCH]);
}

Deno.test("a managed node without pods is left alone", async () => {
  await using rig = new AttachRig();
  rig.node("n");
  await rig.start();
  await rig.advance(10 * MINUTE_MS);
  assertEquals(rig.writes, []);
});

Deno.test("a volume of a pod is attached, the kubelet told, and the pod", async () => {
  await using rig = new AttachRig();
  await attached(rig);
  assertEquals(rig.reported("n"), ["v"]);
  assertEquals(rig.events, ['Normal SuccessfulAttachVolume a/p AttachVolume.Attach succeeded for volume "v" ']);
  const { spec } = rig.attachment("v", "n")!;
  assertEquals(spec, { attacher: "d.example", nodeName: "n", source: { persistentVolumeName: "v" } });
});

Deno.test("nothing is attached to a node that is not managed, until it is", async () => {
  await using rig = new AttachRig();
  rig.node("n", { isManaged: false });
  rig.claim("v");
  rig.pod("p", "n", ["v"]);
  await rig.start();
  await rig.advance(10 * MINUTE_MS);
  assertEquals(rig.writes, []);
  rig.node("n");
  await rig.advance(10);
  assertEquals(rig.writes, [POST]);
});

Deno.test("a volume that nobody uses is withdrawn first, and then detached", async () => {
  await using rig = new AttachRig();
  await attached(rig);
  rig.remove(PODS, "a/p");
  await rig.advance(10);
  assertEquals(rig.writes, [PATCH, DELETE]);
  rig.release("v", "n");
  await rig.advance(10 * MINUTE_MS);
  assertEquals([rig.writes.length, rig.reported("n")], [2, []]);
});

Deno.test("a volume in use stays on a node that is well, for ever", async () => {
  await using rig = new AttachRig();
  await attached(rig, { inUse: true });
  rig.remove(PODS, "a/p");
  await rig.advance(30 * MINUTE_MS);
  assertEquals([rig.writes, rig.reported("n")], [[], ["v"]]);
});

Deno.test("a volume in use leaves an ill node after six minutes, without another look at the node", async () => {
  await using rig = new AttachRig();
  await attached(rig, { inUse: true });
  rig.node("n", { isReady: false, inUse: ["v"] });
  rig.remove(PODS, "a/p");
  await rig.advance(6 * MINUTE_MS - 1000);
  assertEquals(rig.writes, []);
  await rig.advance(2000);
  assertEquals(rig.writes, [PATCH, DELETE]);
  assert(rig.metrics.includes(`${FORCED}{reason="timeout"} 1`));
});

Deno.test("a volume whose node falls ill late is detached at once if six minutes are over", async () => {
  await using rig = new AttachRig();
  await attached(rig, { inUse: true });
  rig.remove(PODS, "a/p");
  await rig.advance(20 * MINUTE_MS);
  rig.node("n", { isReady: false, inUse: ["v"] });
  await rig.advance(10);
  assertEquals(rig.writes, [PATCH, DELETE]);
});

Deno.test("a volume that is wanted again is not detached when its time would have come", async () => {
  await using rig = new AttachRig();
  await attached(rig, { inUse: true });
  rig.node("n", { isReady: false, inUse: ["v"] });
  rig.remove(PODS, "a/p");
  await rig.advance(5 * MINUTE_MS);
  rig.pod("q", "n", ["v"]);
  await rig.advance(2 * MINUTE_MS);
  rig.remove(PODS, "a/q");
  await rig.advance(5 * MINUTE_MS);
  assertEquals(rig.writes, []);
  await rig.advance(2 * MINUTE_MS);
  assertEquals(rig.writes, [PATCH, DELETE]);
});

Deno.test("without force only a node out of service gives back what it uses", async () => {
  await using rig = new AttachRig({ forceDetachesNever: true });
  await attached(rig, { inUse: true });
  rig.node("n", { isReady: false, inUse: ["v"] });
  rig.remove(PODS, "a/p");
  await rig.advance(30 * MINUTE_MS);
  assertEquals(rig.writes, []);
  rig.node("n", { isReady: false, inUse: ["v"], taints: [OUT_OF_SERVICE] });
  await rig.advance(10);
  assertEquals(rig.writes, [PATCH, DELETE]);
  assert(rig.metrics.includes(`${FORCED}{reason="out-of-service"} 1`));
});

Deno.test("nothing is detached whose kubelet could not be told, and it stays reported", async () => {
  await using rig = new AttachRig();
  await attached(rig);
  rig.onWrite = (text) => {
    if (text === PATCH) throw statusError(500, "InternalError");
  };
  rig.remove(PODS, "a/p");
  await rig.advance(MINUTE_MS);
  const tries = rig.writes.length;
  assertEquals(new Set(rig.writes), new Set([PATCH]));
  assert(tries > 10 && tries < 200, `${tries} tries in a minute`);
  assertEquals(rig.reported("n"), ["v"]);
  rig.onWrite = () => {};
  await rig.advance(2000);
  assertEquals(rig.writes.slice(-1), [DELETE]);
});

Deno.test("a shared volume is attached to two nodes, and leaves each by itself", async () => {
  await using rig = new AttachRig();
  await attached(rig, { modes: ["ReadWriteMany"] });
  rig.node("m");
  rig.pod("q", "m", ["v"]);
  await rig.advance(10);
  rig.answer("v", "m", { attached: true });
  await rig.advance(10);
  rig.remove(PODS, "a/p");
  await rig.advance(10);
  assertEquals(rig.writes, [`POST volumeattachments ${attachmentOf("v", "m")}`, "PATCH nodes m", PATCH, DELETE]);
  assertEquals([rig.reported("n"), rig.reported("m")], [[], ["v"]]);
});

Deno.test("a volume for one node waits for that, is told of once, and moves", async () => {
  await using rig = new AttachRig();
  await attached(rig, { inUse: true });
  rig.node("m");
  rig.pod("q", "m", ["v"]);
  await rig.advance(5 * MINUTE_MS);
  const told = 'Warning FailedAttachVolume a/q Multi-Attach error for volume "v" Volume is already used by pod(s) p';
  assertEquals([rig.writes, rig.events.slice(1)], [[], [told]]);
  rig.remove(PODS, "a/p");
  rig.node("n");
  await rig.advance(10);
  assertEquals(rig.writes, [PATCH, DELETE]);
  rig.release("v", "n");
  await rig.advance(10);
  assertEquals(rig.writes.slice(2), [`POST volumeattachments ${attachmentOf("v", "m")}`]);
});

Deno.test("names of pods of other namespaces are told to nobody", async () => {
  await using rig = new AttachRig();
  rig.node("n");
  rig.node("m");
  const cinder = { name: "v", cinder: { volumeID: "v" } };
  const pod = (namespace: string, name: string, nodeName: string) =>
    rig.put(PODS, {
      metadata: { namespace, name, uid: `${namespace}-${name}` },
      spec: { containers: [], nodeName, volumes: [cinder] },
    });
  for (const [namespace, name] of [["a", "p"], ["b", "secret"], ["b", "other"]]) pod(namespace, name, "n");
  await rig.start();
  await rig.advance(10);
  const [{ metadata }] = rig.all(VOLUMEATTACHMENTS);
  rig.put(VOLUMEATTACHMENTS, { ...rig.find(VOLUMEATTACHMENTS, metadata!.name!)!, status: { attached: true } });
  await rig.advance(10);
  pod("a", "q", "m");
  pod("c", "r", "m");
  await rig.advance(10);
  const text = (rest: string) =>
    `Multi-Attach error for volume "cinder.csi.openstack.org-v" Volume is already used by ${rest}`;
  assertEquals(rig.events.filter((line) => line.startsWith("Warning")), [
    `Warning FailedAttachVolume a/q ${text("pod(s) p and 2 pod(s) in different namespaces")}`,
    `Warning FailedAttachVolume c/r ${text("3 pod(s) in different namespaces")}`,
  ]);
});

Deno.test("an attempt that was given up does not keep the volume from another node", async () => {
  await using rig = new AttachRig();
  rig.node("n");
  rig.claim("v");
  rig.pod("p", "n", ["v"]);
  await rig.start();
  await rig.advance(2 * MINUTE_MS + 1000);
  const why = "timed out waiting for external-attacher of d.example CSI driver to attach volume v";
  assertEquals(rig.events, [`Warning FailedAttachVolume a/p AttachVolume.Attach failed for volume "v" : ${why}`]);
  rig.remove(PODS, "a/p");
  rig.node("m");
  rig.pod("q", "m", ["v"]);
  await rig.advance(2 * MINUTE_MS + 1000);
  assert(rig.attachment("v", "m"));
  rig.node("n"); // its kubelet says that it does not use the volume
  rig.answer("v", "m", { attached: true });
  await rig.advance(MINUTE_MS);
  assertEquals(rig.attachment("v", "n"), undefined);
});

Deno.test("an attempt that was given up and succeeds after all does keep it", async () => {
  await using rig = new AttachRig();
  rig.node("n");
  rig.claim("v");
  rig.pod("p", "n", ["v"]);
  await rig.start();
  await rig.advance(2 * MINUTE_MS + 100);
  rig.remove(PODS, "a/p");
  rig.answer("v", "n", { attached: true });
  rig.node("m");
  rig.pod("q", "m", ["v"]);
  await rig.advance(MINUTE_MS);
  assertEquals(rig.attachment("v", "m"), undefined);
  assert(rig.events.at(-1)?.includes("a/q Multi-Attach error"), rig.events.join("\n"));
  rig.node("n");
  await rig.advance(10);
  rig.release("v", "n");
  await rig.advance(10);
  assert(rig.attachment("v", "m"));
});

Deno.test("what an attacher fails with is told, and it is asked again ever more rarely", async () => {
  await using rig = new AttachRig();
  rig.node("n");
  rig.claim("v");
  rig.pod("p", "n", ["v"]);
  await rig.start();
  await rig.advance(10);
  rig.answer("v", "n", { attached: false, attachError: { message: "x" } });
  await rig.advance(10);
  const told = 'Warning FailedAttachVolume a/p AttachVolume.Attach failed for volume "v" : x';
  assertEquals([rig.events, rig.reported("n")], [[told], []]);
  // 500 ms, 1 s and 2 s of waiting, and half a second each for the attacher to say something else
  await rig.advance(500 + 500 + 1000 + 500 + 2000 + 500 + 100);
  assertEquals(rig.events.length, 4);
  rig.answer("v", "n", { attached: true });
  await rig.advance(5000);
  assertEquals([rig.events.length, rig.reported("n")], [5, ["v"]]);
});

Deno.test("what a detach fails with is told to nobody, and it is tried again", async () => {
  await using rig = new AttachRig();
  await attached(rig);
  rig.remove(PODS, "a/p");
  await rig.advance(10);
  rig.answer("v", "n", { attached: true, detachError: { message: "x" } });
  await rig.advance(3000);
  assertEquals([rig.events.length, rig.reported("n")], [1, []]);
  const tries = rig.writes.filter((text) => text === DELETE).length;
  assert(tries >= 2 && tries <= 4, `${tries} tries`);
});

Deno.test("a pod that comes back to a volume on its way out waits until that is gone", async () => {
  await using rig = new AttachRig();
  await attached(rig);
  rig.remove(PODS, "a/p");
  await rig.advance(10);
  rig.answer("v", "n", { attached: true, detachError: { message: "x" } });
  await rig.advance(600);
  rig.pod("q", "n", ["v"]);
  await rig.advance(1000);
  const told =
    'Warning FailedAttachVolume a/q AttachVolume.Attach failed for volume "v" : volume attachment is being deleted';
  assertEquals(rig.events.at(-1), told);
  rig.release("v", "n");
  await rig.advance(3000);
  rig.answer("v", "n", { attached: true });
  await rig.advance(10);
  assertEquals(rig.reported("n"), ["v"]);
});

Deno.test("a driver that attaches nothing any more has its volumes detached within a minute", async () => {
  await using rig = new AttachRig();
  await attached(rig);
  rig.put(CSIDRIVERS, { metadata: { name: "d.example" }, spec: { attachRequired: false } });
  await rig.advance(MINUTE_MS + 10);
  assertEquals(rig.writes, [PATCH, DELETE]);
});

Deno.test("an iSCSI volume needs no attacher, but the kubelet is told", async () => {
  await using rig = new AttachRig();
  rig.node("n");
  rig.claim("v", ["ReadWriteOnce"], { iscsi: { targetPortal: "1.2.3.4", iqn: "i", lun: 0 } });
  rig.pod("p", "n", ["v"]);
  await rig.start();
  await rig.advance(10);
  assertEquals(rig.writes, [PATCH]);
  const volumesAttached = [{ name: "kubernetes.io/iscsi/1.2.3.4:i:0", devicePath: "" }];
  assertEquals(rig.find(NODES, "n")?.status?.volumesAttached, volumesAttached);
});

Deno.test("a pod whose deletion was missed wants nothing any more", async () => {
  await using rig = new AttachRig();
  await attached(rig);
  rig.remove(PODS, "a/p", (pod) => new DeletedFinalStateUnknown("a/p", pod));
  await rig.advance(10);
  assertEquals(rig.writes, [PATCH, DELETE]);
});

Deno.test("a pod of the same name wants for itself", async () => {
  await using rig = new AttachRig();
  await attached(rig);
  rig.pod("p", "n", [], { uid: "another" });
  await rig.advance(10);
  assertEquals(rig.writes, [PATCH, DELETE]);
});

Deno.test("a VolumeAttachment that a user deletes is made again", async () => {
  await using rig = new AttachRig();
  await attached(rig, { inUse: true });
  rig.remove(VOLUMEATTACHMENTS, attachmentOf("v", "n"));
  await rig.advance(MINUTE_MS + 1000);
  rig.answer("v", "n", { attached: true });
  await rig.advance(10);
  assertEquals([rig.writes.includes(POST), rig.reported("n")], [true, ["v"]]);
});

Deno.test("nothing is concluded from a VolumeAttachment that cannot be read", async () => {
  await using rig = new AttachRig();
  await attached(rig, { inUse: true });
  rig.remove(VOLUMEATTACHMENTS, attachmentOf("v", "n"));
  rig.onWrite = (text) => {
    if (text.startsWith("GET volumeattachments")) throw statusError(500, "InternalError");
  };
  await rig.advance(5 * MINUTE_MS);
  assertEquals([rig.writes, rig.reported("n")], [[], ["v"]]);
});

Deno.test("without the periodic check a VolumeAttachment is not missed", async () => {
  await using rig = new AttachRig({ reconcilesNever: true });
  await attached(rig, { inUse: true });
  rig.remove(VOLUMEATTACHMENTS, attachmentOf("v", "n"));
  await rig.advance(10 * MINUTE_MS);
  assertEquals(rig.writes, []);
});

Deno.test("of two statuses that are to be written, one that fails keeps none from the other", async () => {
  await using rig = new AttachRig();
  for (const [node, volume] of [["n", "v"], ["m", "w"]]) {
    rig.node(node);
    rig.claim(volume);
    rig.pod(`p-${node}`, node, [volume]);
  }
  await rig.start();
  await rig.advance(10);
  rig.onWrite = (text) => {
    if (text === PATCH) throw statusError(500, "InternalError");
  };
  rig.answer("v", "n", { attached: true });
  rig.answer("w", "m", { attached: true });
  await rig.advance(50);
  assertEquals([rig.reported("n"), rig.reported("m")], [[], ["w"]]);
  rig.onWrite = () => {};
  await rig.advance(1000);
  assertEquals(rig.reported("n"), ["v"]);
});

Deno.test("a node that is made anew is told again", async () => {
  await using rig = new AttachRig();
  await attached(rig, { inUse: true });
  rig.remove(NODES, "n");
  await rig.advance(1000);
  assertEquals(rig.writes, []);
  rig.node("n");
  await rig.advance(10);
  assertEquals([rig.writes, rig.reported("n")], [[PATCH], ["v"]]);
});

Deno.test("a volume on a node that is gone leaves it at once if it was not in use, and after six minutes otherwise", async () => {
  for (const inUse of [false, true]) {
    await using rig = new AttachRig();
    await attached(rig, { inUse });
    rig.remove(NODES, "n");
    rig.remove(PODS, "a/p");
    await rig.advance(5 * MINUTE_MS);
    assertEquals(rig.writes[0], inUse ? undefined : DELETE);
    await rig.advance(2 * MINUTE_MS);
    assertEquals(new Set(rig.writes), new Set([DELETE]));
  }
});

Deno.test("the node is asked once more before a volume is detached", async () => {
  await using rig = new AttachRig();
  await attached(rig);
  rig.onWrite = (text) => {
    // The kubelet begins to use the volume, which no cache shows yet.
    const node = rig.find(NODES, "n");
    if (text === "GET nodes n" && node) node.status!.volumesInUse = [uniqueName("v")];
  };
  rig.remove(PODS, "a/p");
  await rig.advance(100);
  assertEquals(rig.writes, [PATCH]);
});

Deno.test("a claim that is bound late, and a volume that is seen late, are enough", async () => {
  await using rig = new AttachRig();
  rig.node("n");
  rig.claim("v");
  const volume = rig.find(PERSISTENTVOLUMES, "v")!;
  const claim = rig.find(PERSISTENTVOLUMECLAIMS, "a/v")!;
  rig.remove(PERSISTENTVOLUMES, "v");
  rig.put(PERSISTENTVOLUMECLAIMS, { ...claim, status: { phase: "Pending" } });
  rig.pod("p", "n", ["v"]);
  await rig.start();
  await rig.advance(1000);
  rig.put(PERSISTENTVOLUMECLAIMS, claim);
  await rig.advance(1000);
  assertEquals(rig.writes, []);
  rig.put(PERSISTENTVOLUMES, volume);
  await rig.advance(10);
  assertEquals(rig.writes, [POST]);
});

Deno.test("what nobody has a plug-in for is left in the status of its node", async () => {
  await using rig = new AttachRig();
  rig.node("n", { attached: ["example.com/x/y", "a/b"] });
  await rig.start();
  rig.node("n");
  await rig.advance(10 * MINUTE_MS);
  assertEquals([rig.reported("n"), rig.writes], [["a/b", "example.com/x/y"], [PATCH]]);
});

Deno.test("an idle controller wakes up a few times a minute at most", async () => {
  await using rig = new AttachRig();
  await attached(rig, { inUse: true });
  await rig.advance(MINUTE_MS);
  let timers = 0;
  for (let ms = 0; ms < 10 * MINUTE_MS; timers++) {
    const step = rig.world.clock.nextTimerInMs ?? 10 * MINUTE_MS;
    await rig.advance(step);
    ms += step;
  }
  assert(timers <= 60, `${timers} timers in ten minutes`);
});
