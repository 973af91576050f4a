/** One manager takes over from the other while evictions from devices are waiting for their time. */
import { assert, assertEquals } from "@std/assert";
import { EVENTS, PODS } from "../../src/api/mod.ts";
import { dropLease, type ManagerKind, startManager } from "../controlplane/manager.ts";
import {
  BROKEN,
  createUser,
  isCalledOff,
  isEvicted,
  look,
  offer,
  taint,
  tolerated,
} from "../scenarios/device_taint_kit.ts";
import { Cluster, clusterTest } from "./cluster.ts";

const WAIT_SECONDS = 25;
const flags = ["--controllers=device-taint-eviction-controller"];

for (const turns of [["upstream", "kubeloop"], ["kubeloop", "upstream"]] as const) {
  clusterTest(
    `Evictions from devices that ${turns[0]} has waited for are carried out by ${turns[1]}, and no earlier`,
    async () => {
      await using cluster = await Cluster.start({ nodes: 0 });
      const start = (kind: ManagerKind) => startManager(cluster.plane, kind, { flags });
      const first = await start(turns[0]);
      const kit = await cluster.namespace(`handed${turns[0]}`);
      const slice = await offer(kit, { d: [BROKEN], e: [BROKEN] });
      const since = Date.parse(slice.spec.devices![0].taints![0].timeAdded!);
      await createUser(kit, "p", { tolerations: [tolerated(WAIT_SECONDS)] });
      await createUser(kit, "q", { device: "e", tolerations: [tolerated(3600)] });
      await look(kit, "first");
      await first.process.stop();
      await dropLease(cluster.plane);
      const second = await start(turns[1]);
      await look(kit, "second");
      assertEquals((await kit.get(PODS, "p")).metadata?.deletionTimestamp, undefined, "it has time yet");
      await isEvicted(kit, "p");
      const { message } = (await kit.list(EVENTS)).find(({ involvedObject }) => involvedObject?.name === "p")!;
      assertEquals(message, "Marking for deletion");
      const condition = (await kit.get(PODS, "p")).status!.conditions!.find(({ type }) => type === "DisruptionTarget")!;
      const waitedMs = Date.parse(condition.lastTransitionTime!) - since;
      assert(waitedMs >= WAIT_SECONDS * 1000 && waitedMs < (WAIT_SECONDS + 15) * 1000, `it waited ${waitedMs} ms`);
      await taint(kit, { d: [BROKEN], e: [] });
      await isCalledOff(kit, "q");
      await second.process.stop();
    },
  );
}
