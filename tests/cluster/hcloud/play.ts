import type { Client } from "../../../src/client/mod.ts";
import type { ControlPlane } from "../../controlplane/control_plane.ts";
import { HcloudBed, type Maker } from "./bed.ts";
import { type Outcome, outcomeOf } from "./outcome.ts";
import type { HcloudScenario } from "./scenarios.ts";

/** Plays a scenario under that manager. `afterwards` may go on with what is there. */
export async function play(
  { plane, client }: { readonly plane: ControlPlane; readonly client: Client },
  scenario: HcloudScenario,
  maker: Maker,
  afterwards?: (bed: HcloudBed) => Promise<void>,
): Promise<Outcome> {
  await using bed = new HcloudBed(plane, client, scenario);
  await scenario.before?.(bed);
  bed.start(maker);
  await bed.initialised();
  if (scenario.services) {
    await scenario.services(bed);
    await bed.balanced();
  }
  if (scenario.then) {
    await scenario.then(bed);
    await bed.quiet();
  }
  const outcome = await outcomeOf(bed);
  await afterwards?.(bed);
  return outcome;
}
