import { PODCERTIFICATEREQUESTS } from "../../api/mod.ts";
import { TurnBudget } from "../../base/mod.ts";
import { type Controller, type ControllerContext, periodicController } from "../running/mod.ts";
import { remove } from "./actions.ts";
import { isOld } from "./sync.ts";

export const NAME = "podcertificaterequest-cleaner-controller";
export const CLIENT_NAME = "podcertificaterequestcleaner";
/** The pause between passes. */
const PERIOD_MS = 5 * 60_000;

export function buildPodCertificateCleaner({ world, informers, clients }: ControllerContext): Controller {
  const { clock, log } = world;
  const client = clients.client(CLIENT_NAME);
  // Nothing but their age is read of them.
  const requests = informers.informer(PODCERTIFICATEREQUESTS, []);
  const pass = async (signal: AbortSignal) => {
    const budget = new TurnBudget(clock);
    for (const request of requests.lister.list()) {
      if (signal.aborted) return;
      if (isOld(request, clock.wallMs())) await remove(request, { client, log });
      if (budget.spent) await budget.nextTurn();
    }
  };
  const title = "PodCertificateRequest cleaner controller";
  return periodicController({ name: NAME, title, world, caches: [requests], periodMs: PERIOD_MS, pass });
}
