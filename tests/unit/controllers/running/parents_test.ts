import { assertEquals, assertThrows } from "@std/assert";
import {
  type LabelSelector,
  type OwnerReference,
  type Pod,
  type ReplicaSet,
  SelectorError,
} from "../../../../src/api/mod.ts";
import { Indexer, Lister, NAMESPACE_INDEX, namespaceOf } from "../../../../src/cache/mod.ts";
import { indexReplicaSets, orphanReplicaSets, replicaSetsControlledBy } from "../../../../src/controllers/pods/mod.ts";
import {
  parentsMatching,
  resolveControllerRef,
  selectorOfCached,
  validSelectorOfCached,
} from "../../../../src/controllers/running/mod.ts";

function replicaSet(name: string, selector: LabelSelector, metadata: ReplicaSet["metadata"] = {}): ReplicaSet {
  return { metadata: { namespace: "a", name, uid: `uid-${name}`, ...metadata }, spec: { selector } };
}

function listerOf(...objects: ReplicaSet[]): { lister: Lister<ReplicaSet>; indexer: Indexer<ReplicaSet> } {
  const indexer = new Indexer<ReplicaSet>({ indexers: { [NAMESPACE_INDEX]: namespaceOf } });
  indexReplicaSets(indexer);
  for (const object of objects) indexer.add(object);
  return { lister: new Lister(indexer), indexer };
}

const REF: OwnerReference = { apiVersion: "apps/v1", kind: "ReplicaSet", name: "r", uid: "uid-r", controller: true };
const namesOf = (objects: ReplicaSet[]) => objects.map(({ metadata }) => metadata?.name);

Deno.test("resolveControllerRef() resolves by kind, name and uid", () => {
  const { lister } = listerOf(replicaSet("r", {}));
  const pod: Pod = { metadata: { namespace: "a", name: "p" } };
  assertEquals(resolveControllerRef(lister, "ReplicaSet", pod, REF)?.metadata?.name, "r");
  assertEquals(
    resolveControllerRef(lister, "ReplicaSet", pod, { ...REF, apiVersion: "other/v2" })?.metadata?.name,
    "r",
  );
  assertEquals(resolveControllerRef(lister, "ReplicaSet", pod, { ...REF, kind: "ReplicationController" }), undefined);
  assertEquals(resolveControllerRef(lister, "ReplicaSet", pod, { ...REF, uid: "old" }), undefined);
  assertEquals(resolveControllerRef(lister, "ReplicaSet", { metadata: { namespace: "b" } }, REF), undefined);
});

Deno.test("parentsMatching() gives parents of the namespace whose selector is valid, not empty, and matches", () => {
  const { lister } = listerOf(
    replicaSet("matches", { matchLabels: { app: "x" } }),
    replicaSet("also", { matchExpressions: [{ key: "app", operator: "Exists" }] }),
    replicaSet("other", { matchLabels: { app: "y" } }),
    replicaSet("everything", {}),
    replicaSet("invalid", { matchExpressions: [{ key: "app", operator: "Near" }] }),
    replicaSet("elsewhere", { matchLabels: { app: "x" } }, { namespace: "b" }),
  );
  const parents = (labels: Record<string, string> | undefined) =>
    namesOf(
      parentsMatching(lister, { metadata: { namespace: "a", labels } }, ({ spec }) =>
        validSelectorOfCached(spec?.selector)),
    ).sort();
  assertEquals(parents({ app: "x" }), ["also", "matches"]);
  assertEquals(parents({}), []);
  assertEquals(parents(undefined), []);
});

Deno.test("selectorOfCached() parses a selector once and throws for an invalid one each time", () => {
  const valid: LabelSelector = { matchLabels: { app: "x" } };
  assertEquals(selectorOfCached(valid), selectorOfCached(valid));
  assertEquals(selectorOfCached(undefined).matches({ app: "x" }), false);
  const invalid: LabelSelector = { matchExpressions: [{ key: "app", operator: "Near" }] };
  for (let i = 0; i < 2; i++) assertThrows(() => selectorOfCached(invalid), SelectorError);
  assertEquals(validSelectorOfCached(invalid), undefined);
});

Deno.test("replicaSetsControlledBy() and orphanReplicaSets() tell ReplicaSets apart by their controller", () => {
  const owned = { ownerReferences: [{ ...REF, kind: "Deployment", uid: "uid-d" }] };
  const notControlled = { ownerReferences: [{ ...REF, controller: false }] };
  const { indexer } = listerOf(
    replicaSet("owned", {}, owned),
    replicaSet("orphan", {}, notControlled),
    replicaSet("elsewhere", {}, { namespace: "b" }),
    replicaSet("owned-elsewhere", {}, { namespace: "b", ...owned }),
  );
  indexReplicaSets(indexer); // a second controller asks for the same index
  assertEquals(namesOf(replicaSetsControlledBy(indexer, { namespace: "a", uid: "uid-d" })), ["owned"]);
  assertEquals(namesOf(orphanReplicaSets(indexer, "a")), ["orphan"]);
});
