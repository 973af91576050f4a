/** Volumes that programs of FlexVolume drivers attach. */
import { assertEquals } from "@std/assert";
import { PERSISTENTVOLUMES, type Pod, PODS } from "../../../../src/api/mod.ts";
import { DriverError } from "../../../../src/controllers/mod.ts";
import { AttachRig } from "./rig.ts";

const NAME = "acme/disk";
const DRIVER = { name: NAME, attaches: true };
const MINUTE_MS = 60_000;
const RWO = ["ReadWriteOnce"];

function options(more: Readonly<Record<string, string>> = {}): string {
  const all: Record<string, string> = {
    "kubernetes.io/fsType": "",
    "kubernetes.io/pvOrVolumeName": "v",
    "kubernetes.io/readwrite": "rw",
    ...more,
  };
  return JSON.stringify(Object.fromEntries(Object.entries(all).sort(([a], [b]) => a < b ? -1 : 1)));
}

/** A pod whose volume is of a driver. */
function claimed(rig: AttachRig, flexVolume = {}): void {
  rig.node("n");
  rig.claim("v", RWO, { flexVolume: { driver: NAME, ...flexVolume } });
  rig.pod("p", "n", ["v"]);
}

Deno.test("FlexVolumes: a volume is attached and detached by its driver's program, and kubelets are told of the device", async () => {
  await using rig = new AttachRig();
  rig.flexDrivers = [DRIVER];
  rig.onDriverCall = () => ({ device: "/dev/sdb", isAttached: true });
  claimed(rig, { fsType: "xfs", options: { size: "<1>", "kubernetes.io/readwrite": "x" } });
  await rig.start();
  await rig.advance(10);
  const told = options({ "kubernetes.io/fsType": "xfs", "kubernetes.io/readwrite": "x", size: "\\u003c1\\u003e" })
    .replaceAll("\\\\", "\\");
  assertEquals(rig.driverCalls.splice(0), [`${NAME} attach ${told} n`]);
  assertEquals(rig.reported("n"), [`${NAME}/v`]);
  assertEquals(rig.writes.splice(0), ["PATCH nodes n"]);
  assertEquals(rig.events, ['Normal SuccessfulAttachVolume a/p AttachVolume.Attach succeeded for volume "v" ']);
  rig.remove(PODS, "a/p");
  rig.node("n");
  await rig.advance(10);
  assertEquals([rig.driverCalls, rig.reported("n")], [[`${NAME} detach v n`], []]);
});

Deno.test("FlexVolumes: what a driver says of a failure is told to the pod, and it is tried again", async () => {
  await using rig = new AttachRig();
  rig.flexDrivers = [DRIVER];
  rig.onDriverCall = () => {
    throw new DriverError("attach command failed, status: Failure, reason: no disk");
  };
  claimed(rig);
  await rig.start();
  await rig.advance(10);
  const why = "attach command failed, status: Failure, reason: no disk";
  assertEquals(rig.events, [`Warning FailedAttachVolume a/p AttachVolume.Attach failed for volume "v" : ${why}`]);
  assertEquals(rig.reported("n"), []);
  rig.onDriverCall = () => ({ device: "/dev/sdb" });
  await rig.advance(1000);
  assertEquals(rig.reported("n"), [`${NAME}/v`]);
});

Deno.test("FlexVolumes: a command that a driver does not support counts as done", async () => {
  await using rig = new AttachRig();
  rig.flexDrivers = [DRIVER];
  rig.onDriverCall = () => undefined;
  claimed(rig);
  await rig.start();
  await rig.advance(3 * MINUTE_MS);
  assertEquals(rig.reported("n"), [`${NAME}/v`]);
  assertEquals(rig.driverCalls.filter((call) => call.includes(" attach ")).length, 1);
  rig.remove(PODS, "a/p");
  rig.node("n");
  await rig.advance(10);
  assertEquals(rig.reported("n"), []);
});

Deno.test("FlexVolumes: what is no longer attached is attached again; a driver that fails to say so changes nothing", async () => {
  await using rig = new AttachRig();
  rig.flexDrivers = [DRIVER];
  let isAttached: boolean | undefined = true;
  rig.onDriverCall = (call) => {
    if (!call.includes("isattached")) return { device: "/dev/sdb" };
    if (isAttached === undefined) throw new DriverError("unwell");
    return { isAttached };
  };
  claimed(rig);
  await rig.start();
  await rig.advance(MINUTE_MS);
  isAttached = undefined;
  await rig.advance(5 * MINUTE_MS);
  const attaching = () => rig.driverCalls.filter((call) => call.includes(" attach ")).length;
  assertEquals(attaching(), 1);
  isAttached = false;
  await rig.advance(MINUTE_MS);
  assertEquals(attaching(), 2);
});

Deno.test("FlexVolumes: a driver that comes, goes or no longer attaches does so at the next `refresh`; one that stays keeps its plug-in", async () => {
  await using rig = new AttachRig();
  claimed(rig);
  await rig.start();
  await rig.advance(MINUTE_MS);
  assertEquals([rig.driverCalls, rig.reported("n")], [[], []]);
  rig.flexDrivers = [DRIVER];
  await rig.advance(MINUTE_MS);
  assertEquals(rig.reported("n"), [`${NAME}/v`]);
  rig.flexDrivers = [];
  await rig.advance(5 * MINUTE_MS);
  assertEquals(rig.reported("n"), [`${NAME}/v`], "a driver that is missing takes nothing from a pod");
  rig.remove(PODS, "a/p");
  rig.node("n");
  await rig.advance(MINUTE_MS);
  rig.flexDrivers = [DRIVER];
  await rig.advance(2 * MINUTE_MS);
  assertEquals(rig.driverCalls.at(-1), `${NAME} detach v n`);
  rig.flexDrivers = [{ ...DRIVER, attaches: false }];
  await rig.advance(MINUTE_MS);
  rig.pod("q", "n", ["v"]);
  rig.driverCalls.length = 0;
  await rig.advance(5 * MINUTE_MS);
  assertEquals(rig.driverCalls, []);
});

Deno.test("FlexVolumes: what the status of a node names is detached after a restart, and a pod's own volume is attached read-only", async () => {
  await using rig = new AttachRig();
  rig.flexDrivers = [DRIVER];
  rig.node("n", { attached: [`${NAME}/old`] });
  rig.put<Pod>(PODS, {
    metadata: { namespace: "a", name: "p" },
    spec: { containers: [], nodeName: "n", volumes: [{ name: "v", flexVolume: { driver: NAME, readOnly: true } }] },
  });
  await rig.start();
  rig.node("n");
  await rig.advance(1000);
  assertEquals(rig.driverCalls.toSorted(), [
    `${NAME} attach ${options({ "kubernetes.io/readwrite": "ro" })} n`,
    `${NAME} detach old n`,
  ]);
});

Deno.test("FlexVolumes: a volume of one node is detached there before another node gets it", async () => {
  await using rig = new AttachRig();
  rig.flexDrivers = [DRIVER];
  claimed(rig);
  await rig.start();
  await rig.advance(10);
  rig.node("n", { inUse: [`${NAME}/v`] });
  rig.node("m");
  rig.remove(PODS, "a/p");
  rig.pod("q", "m", ["v"]);
  await rig.advance(MINUTE_MS);
  const acts = () => rig.driverCalls.filter((call) => !call.includes("isattached")).map((call) => call.split(" "));
  assertEquals(acts().map(([, command, , node]) => `${command} ${node}`), ["attach n"]);
  rig.node("n");
  await rig.advance(1000);
  assertEquals(acts().map(([, command, , node]) => `${command} ${node}`), ["attach n", "detach n", "attach m"]);
  assertEquals(rig.all(PERSISTENTVOLUMES).length, 1);
});

Deno.test("FlexVolumes: while its driver is missing, the six minutes of a volume in use do not pass", async () => {
  await using rig = new AttachRig();
  rig.flexDrivers = [DRIVER];
  claimed(rig);
  await rig.start();
  await rig.advance(10);
  rig.flexDrivers = [];
  await rig.advance(MINUTE_MS);
  rig.node("n", { inUse: [`${NAME}/v`], isReady: false });
  rig.remove(PODS, "a/p");
  await rig.advance(10 * MINUTE_MS);
  rig.flexDrivers = [DRIVER];
  const detaches = () => rig.driverCalls.filter((call) => call === `${NAME} detach v n`).length;
  await rig.advance(5 * MINUTE_MS);
  assertEquals(detaches(), 0);
  await rig.advance(3 * MINUTE_MS);
  assertEquals(detaches(), 1);
});

Deno.test("FlexVolumes: after a detach that failed no other node gets the volume until one has worked", async () => {
  await using rig = new AttachRig();
  rig.flexDrivers = [DRIVER];
  claimed(rig);
  await rig.start();
  await rig.advance(10);
  rig.onDriverCall = (call) => {
    if (call.includes(" detach ")) throw new DriverError("unwell");
    return { device: "/dev/sdb", isAttached: true };
  };
  rig.node("n");
  rig.node("m");
  rig.remove(PODS, "a/p");
  rig.pod("q", "m", ["v"]);
  await rig.advance(5 * MINUTE_MS);
  const acts = () => rig.driverCalls.filter((call) => !call.includes("isattached")).map((call) => call.split(" "));
  const commands = new Set(acts().map(([, command, , node]) => `${command} ${node}`));
  assertEquals([...commands], ["attach n", "detach n"]);
  rig.onDriverCall = () => ({ device: "/dev/sdb", isAttached: true });
  await rig.advance(5 * MINUTE_MS);
  assertEquals(acts().slice(-2).map(([, command, , node]) => `${command} ${node}`), ["detach n", "attach m"]);
});
