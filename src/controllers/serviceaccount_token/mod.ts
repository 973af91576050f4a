import { defineController } from "../running/mod.ts";

/** Keeps the tokens of ServiceAccounts in Secrets. Not implemented yet. Upstream: `pkg/controller/serviceaccount`. */
export const SERVICEACCOUNT_TOKEN_CONTROLLER = defineController({
  name: "serviceaccount-token-controller",
  aliases: ["serviceaccount-token"],
  clientName: "tokens-controller",
  builtFirst: true,
  options: {
    privateKeyFile: {
      flag: "service-account-private-key-file",
      type: "string",
      default: "",
      help: "Key that signs tokens in Secrets",
      section: "serviceaccount-controller",
      configz: "SAController.ServiceAccountKeyFile",
    },
    workers: {
      flag: "concurrent-serviceaccount-token-syncs",
      type: "int32",
      default: 5,
      help: "Secrets with tokens worked on at a time",
      section: "serviceaccount-controller",
      configz: "SAController.ConcurrentSATokenSyncs",
    },
  },
});
