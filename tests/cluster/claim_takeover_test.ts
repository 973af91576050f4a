/** Claims of devices change hands between upstream's manager and ours while some are half made and others wait to be given back. */
import { assertEquals } from "@std/assert";
import { PODS, RESOURCECLAIMS } from "../../src/api/mod.ts";
import { dropLease, type ManagerKind, startManager } from "../controlplane/manager.ts";
import {
  allocate,
  byName,
  claimsAreNamed,
  consumer,
  createTemplate,
  deviceClaim,
  devicePod,
  fromTemplate,
} from "../scenarios/resourceclaim_kit.ts";
import { removeAtOnce } from "../scenarios/volume_kit.ts";
import { Cluster, clusterTest } from "./cluster.ts";
import { settledVersions } from "./settled_versions.ts";

for (const turns of [["upstream", "kubeloop"], ["kubeloop", "upstream"]] as const) {
  clusterTest(
    `Claims that ${turns[0]} made, reserved or was to free are ${turns[1]}'s, and none is made twice`,
    async () => {
      await using cluster = await Cluster.start({ nodes: 0 });
      const start = (kind: ManagerKind) => startManager(cluster.plane, kind);
      const first = await start(turns[0]);
      const kit = await cluster.namespace(`claims${turns[0]}`);
      await createTemplate(kit, "t");
      const pods = ["stays", "goes", "forgets"];
      const names = new Map<string, string>();
      for (const pod of pods) {
        await kit.create(PODS, devicePod(pod, [fromTemplate("x")]));
        names.set(pod, (await claimsAreNamed(kit, pod)).x);
        await allocate(kit, names.get(pod)!, [await consumer(kit, pod)]);
      }
      await kit.create(RESOURCECLAIMS, deviceClaim("shared"));
      for (const pod of ["one", "other"]) await kit.create(PODS, devicePod(pod, [byName("shared")]));
      await allocate(kit, "shared", [await consumer(kit, "one"), await consumer(kit, "other")]);
      const before = await settledVersions(cluster, RESOURCECLAIMS);
      await first.process.stop();
      await dropLease(cluster.plane);

      // Nobody is there to see it: a pod goes, one of two users goes, a pod loses the name of its claim, and one comes.
      await removeAtOnce(kit, "goes");
      await removeAtOnce(kit, "one");
      await kit.merge(PODS, "forgets", { status: { resourceClaimStatuses: null } }, "status");
      await kit.create(PODS, devicePod("comes", [fromTemplate("x")]));

      const second = await start(turns[1]);
      const gone = names.get("goes");
      await kit.untilAll(
        RESOURCECLAIMS,
        `${gone} has gone`,
        (all) => all.every(({ metadata }) => metadata?.name !== gone),
      );
      await kit.until(
        RESOURCECLAIMS,
        "shared",
        "is reserved for the pod that is left",
        ({ status }) => status?.reservedFor?.map(({ name }) => name).join() === "other",
      );
      assertEquals((await claimsAreNamed(kit, "forgets")).x, names.get("forgets"));
      await claimsAreNamed(kit, "comes");
      const after = await settledVersions(cluster, RESOURCECLAIMS);
      for (const pod of ["stays", "forgets"]) {
        const key = `${kit.namespace}/${names.get(pod)} resourceclaims`;
        assertEquals(after.get(key), before.get(key) ?? "none", `the claim of ${pod} was written`);
      }
      assertEquals((await kit.list(RESOURCECLAIMS)).length, 4);
      await second.process.stop();
    },
  );
}
