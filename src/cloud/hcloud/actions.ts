import { Backoff, sleep, type World } from "../../base/mod.ts";
import { Answer, shown } from "./answers.ts";
import type { HcloudApi } from "./api.ts";
import { HcloudError } from "./failures.ts";

/** The vendor's manager polls every half second. */
const POLL_BACKOFF = { initialMs: 500, capMs: 5000, factor: 1.5, jitter: 0.1 };

/**
 * Waits for an action of the API to finish.
 *
 * @param answer Contains the action under `action`; without one there is nothing to wait for.
 * @throws {HcloudError} If it fails, with the action's own code.
 */
export async function actionDone(api: HcloudApi, world: World, answer: Answer, signal: AbortSignal): Promise<void> {
  const backoff = new Backoff(world, POLL_BACKOFF);
  let action = answer.objectIfAny("action");
  while (action) {
    const id = action.id("id");
    const status = action.text("status");
    if (status === "success") return;
    if (status === "error") throw failureOf(action, id);
    if (status !== "running") throw new HcloudError(`action ${id} is ${shown(status)}`, { status: 0, code: "" });
    await sleep(world.clock, backoff.nextMs(), signal);
    signal.throwIfAborted();
    action = (await api.get(`/actions/${id}`, signal)).object("action");
  }
}

function failureOf(action: Answer, id: number): HcloudError {
  const command = shown(action.textIfAny("command"));
  const error = action.objectIfAny("error");
  const code = shown(error?.textIfAny("code") ?? "");
  const message = shown(error?.textIfAny("message") ?? "") || "Unknown error";
  return new HcloudError(`${command} failed: ${message} (${code || "<unknown>"}, action ${id})`, { status: 0, code });
}
