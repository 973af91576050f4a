/** A control plane that was used before is as good as a new one. */
import { assertEquals, assertNotEquals } from "@std/assert";
import { CONFIGMAPS } from "../../src/api/mod.ts";
import { ControlPlane } from "../controlplane/control_plane.ts";
import { clusterTest } from "./cluster.ts";

const KINDS = "namespaces,configmaps,leases,serviceaccounts,clusterroles,priorityclasses,customresourcedefinitions";

/** All objects of some kinds, but for the Lease in which kube-apiserver says that it lives. */
async function objectsOf(plane: ControlPlane): Promise<readonly string[]> {
  const text = await plane.kubectl([
    "get",
    KINDS,
    "-A",
    "-o",
    "jsonpath={range .items[*]}{.kind} {.metadata}{'\\n'}{end}",
  ]);
  return text.split("\n").filter((line) => !line.startsWith("Lease ")).map(withoutRevision).sort();
}

function withoutRevision(line: string): string {
  return line.replace(/"resourceVersion":"\d+",?/, "");
}

const CRD = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "things.example.com" },
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { plural: "things", singular: "thing", kind: "Thing" },
    versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
  },
};

/** Adds, changes and takes away. */
async function leaveTraces(plane: ControlPlane): Promise<void> {
  await plane.kubectl(["create", "namespace", "left"]);
  await plane.apply([CRD, { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "left", namespace: "left" } }]);
  await plane.kubectl(["wait", "--for=condition=Established", "crd/things.example.com"]);
  await plane.apply({ apiVersion: "example.com/v1", kind: "Thing", metadata: { name: "a", namespace: "left" } });
  await plane.kubectl(["label", "namespace", "default", "left=behind"]);
  await plane.kubectl(["delete", "clusterrole", "view"]);
  await plane.store(CONFIGMAPS, { metadata: { name: "unchecked", namespace: "left" } });
  await Deno.writeTextFile(`${plane.folder}/left.txt`, "", { createNew: true });
}

clusterTest(
  "A control plane that is used again has nothing left of what was done to it, and goes on as the same",
  async () => {
    const first = await ControlPlane.start();
    const objects = await objectsOf(first);
    await leaveTraces(first);
    await first[Symbol.asyncDispose]();
    await using second = await ControlPlane.start();
    assertEquals(second.apiserver.pid, first.apiserver.pid);
    assertEquals(await objectsOf(second), objects);
    await leaveTraces(second);
  },
);

clusterTest("A control plane that was killed, is in use or has flags of its own is nobody else's", async () => {
  const killed = await ControlPlane.start();
  await killed.killApiserver();
  await killed[Symbol.asyncDispose]();
  await using used = await ControlPlane.start();
  assertNotEquals(used.apiserver.pid, killed.apiserver.pid);
  await using other = await ControlPlane.start();
  assertNotEquals(other.apiserver.pid, used.apiserver.pid);
  await using flagged = await ControlPlane.start({ apiserverFlags: ["--profiling=false"] });
  assertNotEquals(flagged.apiserver.pid, other.apiserver.pid);
});
