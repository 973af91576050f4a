import { CERTIFICATESIGNINGREQUESTS } from "../../api/mod.ts";
import { TurnBudget } from "../../base/mod.ts";
import { CLIENT_NAME } from "../certificates/mod.ts";
import { type Controller, type ControllerContext, periodicController } from "../running/mod.ts";
import { clean } from "./actions.ts";

export const NAME = "certificatesigningrequest-cleaner-controller";
/** The pause between passes. */
const PERIOD_MS = 3_600_000;

export function buildCleaner({ world, informers, clients }: ControllerContext): Controller {
  const { clock, log } = world;
  const client = clients.client(CLIENT_NAME);
  const requests = informers.informer(CERTIFICATESIGNINGREQUESTS);
  const pass = async (signal: AbortSignal) => {
    const budget = new TurnBudget(clock);
    for (const request of requests.lister.list()) {
      if (signal.aborted) return;
      await clean(request, clock.wallMs(), { client, log });
      if (budget.spent) await budget.nextTurn();
    }
  };
  const title = "CSR cleaner controller";
  return periodicController({ name: NAME, title, world, caches: [requests], periodMs: PERIOD_MS, pass });
}
