import { formatDuration, PODS, SECRETS, SERVICEACCOUNTS } from "../../api/mod.ts";
import { TurnBudget } from "../../base/mod.ts";
import { type Controller, type ControllerContext, periodicController } from "../running/mod.ts";
import { ACCOUNT_TOKENS } from "../token_secrets/mod.ts";
import { carryOut } from "./actions.ts";
import type { CleanerContext } from "./context.ts";
import { Mentions } from "./mentions.ts";
import { READ_OF_PODS } from "./pod_secrets.ts";
import { verdictOn } from "./sync.ts";
import { trackedSince } from "./tracking.ts";

export const NAME = "legacy-serviceaccount-token-cleaner-controller";
export const CLIENT_NAME = "legacy-service-account-token-cleaner";
/** The pause between passes. */
const PERIOD_MS = 24 * 3_600_000;

/** @throws {Error} If the period is invalid. */
export function buildLegacyTokenCleaner(
  context: ControllerContext,
  { cleanUpPeriodMs }: { readonly cleanUpPeriodMs: number },
): Controller {
  if (!(cleanUpPeriodMs > 0)) {
    const shown = formatDuration(cleanUpPeriodMs);
    throw new Error(`failed to init the legacy service account token cleaner: invalid CleanUpPeriod: ${shown}`);
  }
  const { world, informers, journal } = context;
  const accounts = informers.informer(SERVICEACCOUNTS, ["secrets"]);
  const secrets = informers.informer(SECRETS, ["type"], ACCOUNT_TOKENS);
  const pods = informers.informer(PODS, READ_OF_PODS);
  const cleaning: CleanerContext = {
    name: NAME,
    world,
    journal,
    client: context.clients.client(CLIENT_NAME),
    accounts: accounts.lister,
    secrets: secrets.lister,
    pods: pods.lister,
    cleanUpPeriodMs,
  };
  return periodicController({
    name: NAME,
    title: "legacy service account token cleaner controller",
    world,
    caches: [accounts, secrets, pods],
    periodMs: PERIOD_MS,
    pass: (signal) => cleanUp(cleaning, signal),
  });
}

/** Checks all tokens once. Only a failure to read since when their use is tracked ends it. */
async function cleanUp(context: CleanerContext, signal: AbortSignal): Promise<void> {
  const { world: { clock, log }, client, accounts, secrets, pods, cleanUpPeriodMs } = context;
  const nowMs = clock.wallMs();
  try {
    if (nowMs < await trackedSince(client) + cleanUpPeriodMs) return;
  } catch (err) {
    return log.error("Getting latest possible tracked_since time", { err });
  }
  const mentions = new Mentions(pods, clock);
  const budget = new TurnBudget(clock);
  for (const secret of secrets.list()) {
    if (signal.aborted) return;
    const { namespace = "", name = "" } = secret.metadata ?? {};
    const verdict = await verdictOn(secret, {
      nowMs,
      cleanUpPeriodMs,
      account: (account) => accounts.get(namespace, account),
      isMentioned: () => mentions.has(namespace, name),
    });
    await carryOut(secret, verdict, context);
    if (budget.spent) await budget.nextTurn();
  }
}
