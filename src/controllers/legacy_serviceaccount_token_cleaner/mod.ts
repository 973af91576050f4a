import { defineController } from "../running/mod.ts";
import { ACCOUNT_TOKENS } from "../token_secrets/mod.ts";
import { buildLegacyTokenCleaner, CLIENT_NAME, NAME } from "./controller.ts";

/**
 * Deletes unused tokens in Secrets. Upstream: `pkg/controller/serviceaccount` (legacy_serviceaccount_token_cleaner.go).
 */
export const LEGACY_SERVICEACCOUNT_TOKEN_CLEANER_CONTROLLER = defineController({
  name: NAME,
  aliases: ["legacy-service-account-token-cleaner"],
  clientName: CLIENT_NAME,
  // It reads all pods.
  group: "workloads",
  needs: { informers: [ACCOUNT_TOKENS] },
  options: {
    cleanUpPeriodMs: {
      flag: "legacy-service-account-token-clean-up-period",
      type: "duration",
      default: "8760h0m0s",
      help: "How long an unused token in a Secret is kept",
      configz: "LegacySATokenCleaner.CleanUpPeriod",
    },
  },
  build: buildLegacyTokenCleaner,
});
