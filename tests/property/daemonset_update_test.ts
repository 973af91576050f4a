/** Whatever happens to its pods, a DaemonSet's update keeps to its bounds and comes to its end. */
import { assert, assertEquals } from "@std/assert";
import { SeededRandom } from "../../src/base/mod.ts";
import { isPodReady } from "../../src/rules/mod.ts";
import { type Pod, PODS } from "../../src/api/mod.ts";
import { daemonSet, DaemonSetHarness, nodes, pod, rolling, template } from "../unit/controllers/daemonset/fixtures.ts";

const RUNS = 40;
const NODES = 6;

const isNew = ({ spec }: Pod) => spec?.containers[0].image === "i:2";
const nodeOf = ({ metadata, spec }: Pod) => spec?.nodeName ?? metadata?.name;

/** Lets some of the pods that are not ready come up, and are bound. */
function comeUp(harness: DaemonSetHarness, random: SeededRandom): void {
  for (const found of harness.client.all(PODS)) {
    if (isPodReady(found) || random.float() < 0.5) continue;
    const required = found.spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
    const nodeName = required?.nodeSelectorTerms[0].matchFields?.[0].values?.[0];
    const conditions = [{ type: "Ready", status: "True", lastTransitionTime: "2025-12-31T00:00:00Z" }];
    harness.client.store(PODS, {
      ...found,
      spec: { ...found.spec!, nodeName },
      status: { phase: "Running", conditions },
    });
  }
  harness.catchUp();
}

const serving = (harness: DaemonSetHarness) => new Set(harness.client.all(PODS).filter(isPodReady).map(nodeOf)).size;

for (const surge of [0, 1, 2]) {
  const most = 3 - surge;
  const bounds = surge > 0 ? rolling(0, surge) : rolling(most);
  Deno.test(`an update with ${surge > 0 ? `surge ${surge}` : `at most ${most} unavailable`} keeps to it, and settles`, async () => {
    for (let seed = 1; seed <= RUNS; seed++) {
      const random = new SeededRandom(seed);
      const pods = Array.from({ length: NODES }, (_, i) => pod(`p${i}`, `n${i}`));
      const harness = new DaemonSetHarness({ set: daemonSet(bounds), nodes: nodes(NODES), pods });
      harness.change({ template: template("i:2") });
      for (let round = 0; round < 60; round++) {
        await harness.sync();
        harness.catchUp();
        assert(serving(harness) >= NODES - (surge > 0 ? 0 : most), `seed ${seed}: enough nodes are served`);
        assert(harness.client.all(PODS).length <= NODES + surge, `seed ${seed}: not too many pods`);
        comeUp(harness, random);
      }
      const found = harness.client.all(PODS);
      assertEquals([found.length, found.every(isNew)], [NODES, true], `seed ${seed}`);
      assertEquals(harness.status?.updatedNumberScheduled, NODES);
    }
  });
}
