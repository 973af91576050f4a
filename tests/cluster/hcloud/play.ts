import type { Client } from "../../../src/client/mod.ts";
import type { ControlPlane } from "../../controlplane/control_plane.ts";
import { HcloudBed, type Maker } from "./bed.ts";
import { type Outcome, outcomeOf } from "./outcome.ts";
import type { HcloudScenario } from "./scenarios.ts";

export interface PlayOptions {
  readonly maker: Maker;
  /** Whether it is what was waited for; in the end what there is counts, anyway. */
  readonly isWanted?: (outcome: Outcome) => boolean;
  /** May go on with what is there. */
  readonly afterwards?: (bed: HcloudBed) => Promise<void>;
}

/** Plays a scenario under a manager. */
export async function play(
  { plane, client }: { readonly plane: ControlPlane; readonly client: Client },
  scenario: HcloudScenario,
  { maker, isWanted = () => true, afterwards }: PlayOptions,
): Promise<Outcome> {
  await using bed = new HcloudBed(plane, client, { ...scenario, maker });
  await scenario.before?.(bed);
  bed.start();
  await bed.initialised();
  if (scenario.services) {
    await scenario.services(bed);
    await bed.balanced();
  }
  if (scenario.then) {
    await scenario.then(bed);
    await bed.quiet();
  }
  let outcome = await outcomeOf(bed);
  await bed.until("all is written", async () => isWanted(outcome = await outcomeOf(bed))).catch(() => {});
  await afterwards?.(bed);
  return outcome;
}
