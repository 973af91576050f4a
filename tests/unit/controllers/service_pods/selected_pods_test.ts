import { assertEquals } from "@std/assert";
import { FakeClock, TurnBudget } from "../../../../src/base/mod.ts";
import type { Labels, Pod, Service } from "../../../../src/api/mod.ts";
import { Indexer, NAMESPACE_INDEX, namespaceOf } from "../../../../src/cache/mod.ts";
import { indexPods, selectedPods } from "../../../../src/controllers/service_pods/mod.ts";

function pod(name: string, labels: Labels, namespace = "a"): Pod {
  return { metadata: { namespace, name, labels } };
}

/** So many labels that nobody indexes them. */
function crowdOf(labels: Labels): Labels {
  return { ...Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`l${i}`, "x"])), ...labels };
}

/** A cache of pods that counts how many it was asked for. */
class Pods extends Indexer<Pod> {
  read = 0;

  constructor(...pods: Pod[]) {
    super({ indexers: { [NAMESPACE_INDEX]: namespaceOf } });
    indexPods(this);
    for (const pod of pods) this.add(pod);
  }

  override byIndex(name: string, value: string): Pod[] {
    const found = super.byIndex(name, value);
    this.read += found.length;
    return found;
  }

  async selectedBy(selector: Labels | undefined): Promise<string> {
    const service: Service = { metadata: { namespace: "a", name: "s" }, spec: { selector } };
    const pods = await new TurnBudget(new FakeClock()).run(selectedPods(service, this));
    return pods.map(({ metadata }) => metadata?.name).sort().join();
  }
}

Deno.test("selectedPods finds the pods of the namespace that have all labels", async () => {
  const pods = new Pods(
    pod("p", { app: "web", color: "blue" }),
    pod("q", { app: "web", color: "red" }),
    pod("r", { app: "db", color: "blue" }),
    pod("elsewhere", { app: "web", color: "blue" }, "b"),
  );
  assertEquals(await pods.selectedBy({ app: "web" }), "p,q");
  assertEquals(await pods.selectedBy({ app: "web", color: "blue" }), "p");
  assertEquals(await pods.selectedBy({ color: "blue", app: "web" }), "p");
  assertEquals(await pods.selectedBy({ app: "web", size: "s" }), "");
  assertEquals(await pods.selectedBy({}), "p,q,r");
  pods.add(pod("q", { app: "web", color: "blue" }));
  pods.delete(pod("p", {}));
  assertEquals(await pods.selectedBy({ app: "web", color: "blue" }), "q", "as the labels are now");
});

Deno.test("selectedPods reads the pods with the rarest label, not all of the namespace", async () => {
  const many = Array.from({ length: 1000 }, (_, i) => pod(`p${i}`, { team: "x", app: `app-${i % 100}` }));
  const pods = new Pods(...many);
  assertEquals(await pods.selectedBy({ team: "x", app: "app-7" }), "p107,p207,p307,p407,p507,p607,p7,p707,p807,p907");
  assertEquals(pods.read, 10);
});

Deno.test("selectedPods finds pods with more labels than are indexed", async () => {
  const pods = new Pods(pod("p", crowdOf({ app: "web" })), pod("q", crowdOf({ app: "db" })), pod("r", { app: "web" }));
  assertEquals(await pods.selectedBy({ app: "web" }), "p,r");
  assertEquals(await pods.selectedBy(crowdOf({ app: "web" })), "p");
  assertEquals(pods.indexValues("label").length, 2, "the crowds are one entry");
});
