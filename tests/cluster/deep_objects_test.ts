/** Objects nested as deep as kube-apiserver takes them: they cost nobody anything, whether a manager meets them at work or at its start. */
import { assert, assertEquals } from "@std/assert";
import {
  CONFIGMAPS,
  CONTROLLERREVISIONS,
  NAMESPACES,
  type RawExtension,
  RESOURCECLAIMS,
  RESOURCEQUOTAS,
  STATEFULSETS,
} from "../../src/api/mod.ts";
import { parseJson, stringifyJson } from "../../src/base/mod.ts";
import { isNotFound } from "../../src/client/mod.ts";
import { dropLease, startManager } from "../controlplane/manager.ts";
import { eventually } from "../controlplane/process.ts";
import { limit, untilCounted } from "../scenarios/quota_kit.ts";
import { Cluster, clusterTest } from "./cluster.ts";

/** Lists in lists around an integer that JavaScript cannot hold. */
function nested(levels: number, integer: string): RawExtension {
  return parseJson(`{"deep":${"[".repeat(levels)}${integer}${"]".repeat(levels)}}`) as RawExtension;
}

/** Too large for 64 bits: kube-apiserver keeps it in what it does not read. */
const HUGE = "1234567890123456789012";
/** The object and its `data` are two of the 10,000 levels that kube-apiserver takes. It makes a double of a larger integer when it patches. */
const DEEPEST = nested(9_998, "9223372036854775807");
const LABELS = { app: "deep" };

clusterTest(
  "Objects nested as deep as kube-apiserver takes them leave the manager at work, and let it start",
  async () => {
    await using cluster = await Cluster.start({ nodes: 0 });
    const start = (groups: string) =>
      startManager(cluster.plane, "kubeloop", { flags: [`--controller-groups=${groups}`] });
    let manager = await start("auto");
    const kit = await cluster.namespace("deep");
    const counted = ["configmaps", "controllerrevisions.apps", "resourceclaims.resource.k8s.io"].map((name) =>
      `count/${name}`
    );
    await limit(kit, { hard: Object.fromEntries(counted.map((name) => [name, "100"])) });
    const used = (...counts: number[]) => Object.fromEntries(counted.map((name, i) => [name, String(counts[i])]));
    await untilCounted(kit, used(1, 0, 0)); // the cluster's certificate authority

    await kit.create(CONTROLLERREVISIONS, { metadata: { name: "huge" }, revision: 1, data: nested(3_600, HUGE) });
    await kit.create(CONTROLLERREVISIONS, {
      metadata: { name: "deepest", labels: LABELS },
      revision: 1,
      data: DEEPEST,
    });
    for (const levels of [3_600, 5_000]) {
      const opaque = { driver: "deep.example.com", parameters: nested(levels, HUGE) };
      await kit.create(RESOURCECLAIMS, {
        metadata: { name: `c${levels}` },
        spec: { devices: { config: [{ opaque }] } },
      });
    }
    await untilCounted(kit, used(1, 2, 2));
    // It adopts the revision, and tells it from its own.
    await kit.create(STATEFULSETS, {
      metadata: { name: "s" },
      spec: {
        serviceName: "s",
        replicas: 0,
        selector: { matchLabels: LABELS },
        template: { metadata: { labels: LABELS }, spec: { containers: [{ name: "c", image: "i" }] } },
      },
    });
    await kit.until(
      CONTROLLERREVISIONS,
      "deepest",
      "is adopted",
      ({ metadata }) => metadata?.ownerReferences?.[0].name === "s",
    );
    await untilCounted(kit, used(1, 3, 2));
    assertEquals(stringifyJson((await kit.get(CONTROLLERREVISIONS, "deepest")).data), stringifyJson(DEEPEST));

    for (const groups of ["none", "auto"]) {
      assertEquals((await manager.process.stop()).code, 0);
      await dropLease(cluster.plane);
      assert(!/RangeError|set an object aside/i.test(manager.process.output), manager.process.output.slice(-3000));
      manager = await start(groups);
      await kit.create(CONFIGMAPS, { metadata: { name: `with-${groups}` } });
      await untilCounted(kit, used(groups === "none" ? 2 : 3, 3, 2));
    }

    await kit.delete(STATEFULSETS, "s");
    await kit.until(
      RESOURCEQUOTAS,
      "a",
      "has lost the set's revisions",
      ({ status }) => status?.used?.[counted[1]] === "1",
    );
    await cluster.client.delete(NAMESPACES, { name: "deep" });
    await eventually("the namespace is gone", async () => {
      try {
        await cluster.client.get(NAMESPACES, { name: "deep" });
        return false;
      } catch (error) {
        return isNotFound(error);
      }
    }, { withinMs: 90_000 });
    assert(!/RangeError|set an object aside/i.test(manager.process.output), manager.process.output.slice(-3000));
  },
);
