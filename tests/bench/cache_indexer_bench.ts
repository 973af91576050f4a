import type { Pod } from "../../src/api/mod.ts";
import { controllerIndexOf, Indexer, Lister, NAMESPACE_INDEX, namespaceOf, nodeNameOf } from "../../src/cache/mod.ts";
import { realisticPod } from "./realistic_pod.ts";

const COUNT = 50_000;
const pods = Array.from({ length: COUNT }, (_, i) => {
  const pod = realisticPod(i) as Pod;
  return { ...pod, metadata: { ...pod.metadata, managedFields: undefined } };
});
const indexers = { [NAMESPACE_INDEX]: namespaceOf, node: nodeNameOf, controller: controllerIndexOf };
const store = new Indexer<Pod>({ indexers });
store.replace(pods, "1");
const lister = new Lister(store);
const next = pods.slice(0, 1000).map((pod) => ({ ...pod }));
const controller = controllerIndexOf(pods[0])[0];

Deno.bench("Indexer updates 1000 of 50,000 pods whose index values stay", () => {
  for (const pod of next) store.update(pod);
});

Deno.bench("Indexer deletes and adds 1000 of 50,000 pods with three indexes", () => {
  for (const pod of next) store.delete(pod);
  for (const pod of next) store.add(pod);
});

Deno.bench("Indexer finds the 100 pods of one controller among 50,000", () => {
  store.byIndex("controller", controller);
});

Deno.bench("Lister lists the 1000 pods of one namespace among 50,000", () => {
  lister.list({ namespace: "team-1" });
});

Deno.bench("Indexer replaces 50,000 pods with three indexes", { n: 10, warmup: 2 }, () => {
  store.replace(pods, "1");
});
