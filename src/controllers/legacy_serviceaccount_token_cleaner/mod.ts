import { defineController } from "../running/mod.ts";

/** Deletes tokens in Secrets that nobody uses any more. Not implemented yet. Upstream: `pkg/controller/serviceaccount`. */
export const LEGACY_SERVICEACCOUNT_TOKEN_CLEANER_CONTROLLER = defineController({
  name: "legacy-serviceaccount-token-cleaner-controller",
  aliases: ["legacy-service-account-token-cleaner"],
  clientName: "legacy-service-account-token-cleaner",
  options: {
    cleanUpPeriodMs: {
      flag: "legacy-service-account-token-clean-up-period",
      type: "duration",
      default: "8760h0m0s",
      help: "How long a token in a Secret is kept unused",
      configz: "LegacySATokenCleaner.CleanUpPeriod",
    },
  },
});
