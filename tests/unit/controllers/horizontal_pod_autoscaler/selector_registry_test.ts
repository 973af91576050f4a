import { assertEquals } from "@std/assert";
import { type Pod, selectorOfLabels } from "../../../../src/api/mod.ts";
import { SelectorRegistry } from "../../../../src/controllers/horizontal_pod_autoscaler/selector_registry.ts";

const WEB = selectorOfLabels({ app: "web" });
const PODS: readonly Pod[] = [{ metadata: { labels: { app: "web" } } }];

function selecting(registry: SelectorRegistry): readonly string[] {
  const steps = registry.selecting("a", PODS);
  let step = steps.next();
  while (!step.done) step = steps.next();
  return step.value;
}

Deno.test("SelectorRegistry: an autoscaler that was never looked at selects nothing", () => {
  const registry = new SelectorRegistry();
  registry.register("a/new");
  registry.register("a/seen");
  registry.set("a/seen", WEB);
  assertEquals([selecting(registry), registry.size], [["a/seen"], 2]);
  registry.register("a/seen");
  assertEquals(selecting(registry), ["a/seen"], "it is known already");
});

Deno.test("SelectorRegistry: what is not registered gets no selector", () => {
  const registry = new SelectorRegistry();
  registry.set("a/gone", WEB);
  registry.register("a/gone");
  assertEquals(selecting(registry), []);
  registry.set("a/gone", WEB);
  registry.delete("a/gone");
  registry.set("a/gone", WEB);
  assertEquals([selecting(registry), registry.size], [[], 0]);
});
