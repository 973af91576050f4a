import { CERTIFICATESIGNINGREQUESTS } from "../../api/mod.ts";
import { TurnBudget } from "../../base/mod.ts";
import { waitForNamedCacheSync } from "../../cache/mod.ts";
import { CLIENT_NAME } from "../certificates/mod.ts";
import { type Controller, type ControllerContext, periodically } from "../running/mod.ts";
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
  return {
    async run(signal) {
      log.info("Starting CSR cleaner controller");
      if (await waitForNamedCacheSync({ log, name: NAME, signal }, requests)) {
        await periodically({ clock, signal, periodMs: PERIOD_MS }, () => pass(signal));
      }
      log.info("Shutting down CSR cleaner controller");
    },
  };
}
