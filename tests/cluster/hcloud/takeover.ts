/** One manager goes on where the other ended: no balancer is made again, and nothing that leads somewhere is dropped. */
import { assertEquals } from "@std/assert";
import type { Client } from "../../../src/client/mod.ts";
import type { ControlPlane } from "../../controlplane/control_plane.ts";
import { HcloudBed, type Maker } from "./bed.ts";
import type { Outcome } from "./outcome.ts";
import { play } from "./play.ts";
import type { HcloudScenario } from "./scenarios.ts";

interface On {
  readonly plane: ControlPlane;
  readonly client: Client;
}

/** What loses something in the cloud, if only for a moment. */
const LOSS =
  /^(DELETE |POST \/load_balancers |\S+ \S+\/(remove_target|delete_service|detach_from_network|disable_public)\b)/;

/** Starts `maker` on what is there, and sees what it does until the cloud is left alone. */
async function goOn(bed: HcloudBed, maker: Maker): Promise<readonly string[]> {
  const before = bed.calls.length;
  const ids = [...bed.project.balancers.keys()];
  const isProtected = [...bed.project.balancers.values()].some(({ protection }) => protection.delete);
  bed.start(maker);
  if ((await bed.services()).some(({ spec }) => spec?.type === "LoadBalancer")) {
    await bed.until("balancers are looked at", () => bed.calls.length > before);
  } else {
    await bed.until("servers are looked at", () => bed.emulator.seen.some(({ path }) => path.startsWith("/servers")));
  }
  await bed.quiet();
  if (!isProtected) assertEquals([...bed.project.balancers.keys()], ids);
  return bed.calls.slice(before).filter(({ method }) => method !== "GET").map(({ method, path, body }) =>
    `${method} ${path} ${JSON.stringify(body)}`
  );
}

/** Ours finds what was recorded of the vendor's, and changes nothing. */
export async function takeOverFromRecording(
  { plane, client }: On,
  scenario: HcloudScenario,
  { recorded, maker }: { readonly recorded: Outcome; readonly maker: Maker },
): Promise<void> {
  await using bed = new HcloudBed(plane, client, { ...scenario, maker });
  await bed.restore(recorded);
  assertEquals(await goOn(bed, maker), [], scenario.name);
}

/** The vendor's finds what ours has left; it writes every port anew, but loses nothing. */
export async function takeOver(on: On, scenario: HcloudScenario): Promise<void> {
  await play(on, scenario, {
    maker: "kubeloop",
    afterwards: async (bed) => {
      await bed.stop();
      const writes = await goOn(bed, "vendor");
      assertEquals(writes.filter((write) => LOSS.test(write)), [], scenario.name);
    },
  });
}
