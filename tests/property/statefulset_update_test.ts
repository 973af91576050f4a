/** Whatever happens to its pods, a StatefulSet never breaks its order nor its bound, and comes to its end. */
import { assert, assertEquals } from "@std/assert";
import { SeededRandom } from "../../src/base/mod.ts";
import { type Pod, PODS } from "../../src/api/mod.ts";
import { ago } from "../unit/controllers/fake_times.ts";
import {
  DATA_TEMPLATE,
  pod,
  revision,
  revisionNameOf,
  statefulSet,
  StatefulSetHarness,
} from "../unit/controllers/statefulset/fixtures.ts";

const RUNS = 60;
const ROUNDS = 40;

const isWell = ({ metadata, status }: Pod) =>
  !metadata?.deletionTimestamp && status?.phase === "Running" && status.conditions?.[0]?.status === "True";

const ordinal = ({ metadata }: Pod) => Number(metadata!.name!.slice(4));

/** What the writes of one sync did, against the pods that were there before. */
function check(harness: StatefulSetHarness, before: readonly Pod[], wanted: number, isOrdered: boolean): void {
  const writes = harness.writes().filter((text) => text.includes(" pods "));
  const of = (verb: string) =>
    writes.filter((text) => text.startsWith(verb)).map((text) => Number(text.split("web-")[1]));
  const [created, deleted] = [of("create"), of("delete")];
  const healthyDeleted = before.filter((found) =>
    deleted.includes(ordinal(found)) && isWell(found) && ordinal(found) < wanted
  );
  assert(healthyDeleted.length <= 1, `one serving pod at most is given up: ${deleted}`);
  for (const gone of healthyDeleted) {
    const above = before.filter((other) => ordinal(other) > ordinal(gone) && ordinal(other) < wanted);
    assert(
      above.every((other) => isWell(other) && other.spec?.containers[0].image === "i:2"),
      "those above are new and serve",
    );
  }
  if (!isOrdered) return;
  assert(created.length + deleted.length <= 1, `one pod at a time: ${writes}`);
  for (const number of created) {
    const below = before.filter((other) => ordinal(other) < number && isWell(other));
    assertEquals(below.length, number, "those below serve");
  }
  for (const number of deleted.filter((number) => number >= wanted)) {
    assert(before.every((other) => ordinal(other) <= number), "the highest goes first");
  }
}

/** Lets something happen to a pod: it comes up, falls ill, fails, or is deleted by hand. */
async function disturb(harness: StatefulSetHarness, random: SeededRandom): Promise<void> {
  for (const found of harness.client.all(PODS)) {
    const what = random.float();
    const condition = (status: string) => [{ type: "Ready", status, lastTransitionTime: ago(60) }];
    if (what < 0.6) {
      harness.client.store(PODS, { ...found, status: { phase: "Running", conditions: condition("True") } });
    } else if (what < 0.65) {
      harness.client.store(PODS, { ...found, status: { phase: "Running", conditions: condition("False") } });
    } else if (what < 0.7) harness.client.store(PODS, { ...found, status: { phase: "Failed" } });
    else if (what < 0.75) await harness.client.delete(PODS, { namespace: "a", name: found.metadata!.name! });
  }
}

for (const podManagementPolicy of ["OrderedReady", "Parallel"]) {
  Deno.test(`a ${podManagementPolicy} StatefulSet keeps to its order and its bound under disturbances, and settles after them`, async () => {
    for (let seed = 1; seed <= RUNS; seed++) {
      const random = new SeededRandom(seed);
      const [had, wanted] = [1 + Math.floor(random.float() * 5), 1 + Math.floor(random.float() * 5)];
      const hasClaims = seed % 2 === 0;
      const volumes = (i: number) => [{ name: "data", persistentVolumeClaim: { claimName: `data-web-${i}` } }];
      const pods = Array.from({ length: had }, (_, i) => pod(i, { volumes: hasClaims ? volumes(i) : undefined }));
      const set = statefulSet({
        replicas: wanted,
        image: "i:2",
        podManagementPolicy,
        volumeClaimTemplates: hasClaims ? [DATA_TEMPLATE] : [],
      });
      const harness = new StatefulSetHarness({ set, pods, revisions: [revision("i:1", 1)] });
      for (let round = 0; round < ROUNDS; round++) {
        await disturb(harness, random);
        harness.catchUp();
        const before = harness.client.all(PODS);
        harness.writes();
        await harness.sync();
        check(harness, before, wanted, podManagementPolicy === "OrderedReady");
      }
      for (let round = 0; round < 30; round++) {
        harness.allReady();
        await harness.sync();
      }
      assertEquals(harness.podNames, Array.from({ length: wanted }, (_, i) => `web-${i}`), `seed ${seed}`);
      assert(harness.client.all(PODS).every((found) => found.spec?.containers[0].image === "i:2"), `seed ${seed}`);
      assertEquals([harness.status?.currentRevision, harness.status?.updatedReplicas], [revisionNameOf("i:2"), wanted]);
      assertEquals(harness.status?.updateRevision, revisionNameOf("i:2"));
    }
  });
}
