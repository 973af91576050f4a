import { assertEquals } from "@std/assert";
import { type Conflict, type Use, VolumeLabels } from "../../../../src/controllers/selinux_warning/volume_labels.ts";

const mount = (label: string): Use => ({ label, policy: "MountOption" });
const RECURSIVE: Use = { label: "", policy: "Recursive" };
const ONE = mount(":::s0:c1,c2");
const OTHER = mount(":::s0:c98,c99");
const CSI = "csi.example.com";
const text = ({ property, pod, otherPod }: Conflict) => `${property} ${pod} ${otherPod}`;

Deno.test("VolumeLabels: two pods conflict if their policies differ, and if their labels do; a pod conflicts with none of its own uses", () => {
  const labels = new VolumeLabels();
  assertEquals(labels.use("v", "a/p", ONE, CSI), []);
  assertEquals(labels.use("v", "a/p", OTHER, CSI), [], "its own former use");
  assertEquals(labels.use("v", "a/q", RECURSIVE, CSI).map(text), [
    "SELinuxChangePolicy a/q a/p",
    "SELinuxChangePolicy a/p a/q",
    "SELinuxLabel a/q a/p",
    "SELinuxLabel a/p a/q",
  ]);
  assertEquals(labels.use("w", "a/r", ONE, CSI), [], "another volume");
});

/** Labels and whether they exclude each other. */
const PAIRS = [
  ["system_u:system_r:t:s0", ":::s0", false],
  ["u:r:label-new:", "u:r:label1:", true],
  ["::label7:c0,c1", "u:r:label7:", true],
  [":::s0:c1,c2", "", true],
  ["u:::s0", ":r::s0", false],
  ["u:r:t:s0:c1", "u:r:t:s0:c1", false],
] as const;

for (const [one, other, excluded] of PAIRS) {
  Deno.test(`VolumeLabels: "${one}" and "${other}" ${excluded ? "exclude each other" : "go together"}`, () => {
    const labels = new VolumeLabels();
    labels.use("v", "a/p", mount(one), CSI);
    assertEquals(labels.use("v", "a/q", mount(other), CSI).length, excluded ? 2 : 0);
  });
}

Deno.test("VolumeLabels: a new or changed use names its conflicts, each from both sides, with up to a hundred other pods; one that is as it was names none", () => {
  const labels = new VolumeLabels();
  for (let i = 0; i < 150; i++) labels.use("v", `a/p${i}`, ONE, CSI);
  assertEquals(labels.use("v", "a/q", OTHER, CSI).length, 200);
  assertEquals(labels.use("v", "a/q", OTHER, CSI), []);
  assertEquals(labels.use("v", "a/q", ONE, CSI), []);
});

Deno.test("VolumeLabels: all conflicts are listed once from each side, up to 5000; those of pods that are removed are gone", () => {
  const labels = new VolumeLabels();
  for (const volume of ["v", "w"]) {
    labels.use(volume, "a/p", ONE, CSI);
    labels.use(volume, "a/q", OTHER, CSI);
  }
  labels.use("v", "a/r", mount(":::s0"), CSI);
  assertEquals(labels.conflicts().map(text).sort(), [
    "SELinuxLabel a/p a/q",
    "SELinuxLabel a/p a/r",
    "SELinuxLabel a/q a/p",
    "SELinuxLabel a/q a/r",
    "SELinuxLabel a/r a/p",
    "SELinuxLabel a/r a/q",
  ]);
  labels.remove("a/p");
  assertEquals(labels.conflicts().map(text).sort(), ["SELinuxLabel a/q a/r", "SELinuxLabel a/r a/q"]);
  for (let i = 0; i < 200; i++) labels.use("v", `a/x${i}`, mount(`:::s0:c${i}`), CSI);
  assertEquals(labels.conflicts().length, 5000);
});

Deno.test("VolumeLabels: a volume that no pod uses is forgotten", () => {
  const labels = new VolumeLabels();
  for (const volume of ["v", "w"]) labels.use(volume, "a/p", ONE, CSI);
  assertEquals(labels.size, { volumes: 2, pods: 1 });
  labels.remove("a/p");
  labels.remove("a/p");
  assertEquals(labels.size, { volumes: 0, pods: 0 });
});

Deno.test("VolumeLabels: pods are found by the driver that their volumes had when they were first used", () => {
  const labels = new VolumeLabels();
  labels.use("v", "a/p", ONE, CSI);
  labels.use("w", "a/q", ONE, "other.example.com");
  assertEquals([...labels.podsWith(CSI)], ["a/p"]);
  labels.remove("a/p");
  assertEquals([...labels.podsWith(CSI)], []);
});

Deno.test("VolumeLabels: ten thousand pods with a label each cost milliseconds a pod, and are listed within a turn", () => {
  const labels = new VolumeLabels();
  let longestMs = 0;
  const timed = (fn: () => void) => {
    const begunMs = performance.now();
    fn();
    longestMs = Math.max(longestMs, performance.now() - begunMs);
  };
  const begunMs = performance.now();
  for (let i = 0; i < 10_000; i++) timed(() => labels.use("v", `a/p${i}`, mount(`:::s0:c${i}`), CSI));
  const perPodMs = (performance.now() - begunMs) / 10_000;
  timed(() => labels.conflicts());
  assertEquals([perPodMs < 5, longestMs < 1000], [true, true], `${perPodMs} ms each, at most ${longestMs} ms`);
});
