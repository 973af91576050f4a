import { defineController } from "../running/mod.ts";
import { ACCOUNT_TOKENS } from "../token_secrets/mod.ts";
import { buildTokenController, CLIENT_NAME, NAME, ROOT_CA, SIGNING_KEY } from "./controller.ts";

/** Maintains ServiceAccounts' tokens in Secrets that request one. Upstream: `pkg/controller/serviceaccount`. */
export const SERVICEACCOUNT_TOKEN_CONTROLLER = defineController({
  name: NAME,
  aliases: ["serviceaccount-token"],
  clientName: CLIENT_NAME,
  builtFirst: true,
  queues: ["serviceaccount_tokens_service"],
  needs: { informers: [ACCOUNT_TOKENS], files: [ROOT_CA], keys: [SIGNING_KEY] },
  options: {
    privateKeyFile: {
      flag: SIGNING_KEY,
      type: "string",
      default: "",
      help: "Private key that signs tokens in Secrets",
      section: "serviceaccount-controller",
      configz: "SAController.ServiceAccountKeyFile",
    },
    workers: {
      flag: "concurrent-serviceaccount-token-syncs",
      type: "int32",
      default: 5,
      help: "Token Secrets to process at the same time",
      section: "serviceaccount-controller",
      configz: "SAController.ConcurrentSATokenSyncs",
    },
  },
  build: buildTokenController,
});
